// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.Stage;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/** The planner stays plain Java that computes, and its packages keep their word. One that is not listed has none. */
@AnalyzeClasses(packages = "io.penstock.pipeline", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "io.penstock.pipeline.";
    /** Not java.util.concurrent, java.net or java.nio.file: nothing sends, waits or reads files. */
    private static final Set<String> COMMON = Set.of("java.lang", "java.math", "java.util", "java.util.function",
        "java.util.stream", "org.jspecify.annotations");

    /** By package, the other packages that it may use. */
    private static final Map<String, Set<String>> ARROWS = Map.of(
        ROOT + "net", Set.of("java.util.regex"),
        ROOT + "memo", Set.of(),
        ROOT + "intent", Set.of(ROOT + "net", "java.io", "java.nio.charset"),
        ROOT + "flow", Set.of(ROOT + "net", ROOT + "registry"),
        ROOT + "registry", Set.of(ROOT + "net", ROOT + "flow", "java.nio", "java.nio.charset", "java.security"),
        ROOT + "allocation", Set.of(ROOT + "net", ROOT + "intent", ROOT + "registry"),
        ROOT + "rules", Set.of(ROOT + "net", ROOT + "intent", ROOT + "registry", ROOT + "allocation"),
        ROOT + "stage", Set.of(ROOT + "net", ROOT + "intent", ROOT + "flow", ROOT + "registry", ROOT + "allocation"),
        ROOT + "plan", Set.of(ROOT + "net", ROOT + "memo", ROOT + "intent", ROOT + "flow", ROOT + "registry",
            ROOT + "allocation", ROOT + "stage"));

    @ArchTest
    final ArchRule everyPackageUsesWhatIsListedForIt = classes().should(dependOnlyOn(
        "what is listed for their package", (from, to) -> to.isPrimitive()
            || to.getPackageName().equals(from.getPackageName()) || COMMON.contains(to.getPackageName())
            || ARROWS.getOrDefault(from.getPackageName(), Set.of()).contains(to.getPackageName())));

    @ArchTest
    final ArchRule nothingKnowsTimeThreadsOrTheMachine = noClasses().should().dependOnClassesThat()
        .belongToAnyOf(Thread.class, ThreadLocal.class, Process.class, ProcessBuilder.class, Runtime.class)
        .orShould().callMethodWhere(DescribedPredicate.describe("is of the system, but arraycopy", call ->
            call.getTargetOwner().isEquivalentTo(System.class) && !call.getName().equals("arraycopy")));

    @ArchTest
    final ArchRule flowsKnowOfTheRegistryTablesAlone = classes().that().resideInAPackage(ROOT + "flow")
        .should(dependOnlyOn("tables of the registry", (from, to) ->
            !to.getPackageName().equals(ROOT + "registry") || to.isEquivalentTo(Table.class)));

    @ArchTest
    final ArchRule allocationAndRulesKnowOfTheRegistryNumbersAlone = classes().that()
        .resideInAnyPackage(ROOT + "allocation", ROOT + "rules").should(dependOnlyOn("numbers of the registry",
            (from, to) -> !to.getPackageName().equals(ROOT + "registry") || to.isEquivalentTo(Constants.class)
                || to.isEquivalentTo(Priority.class) || to.isEquivalentTo(VrfId.class)));

    @ArchTest
    final ArchRule valuesDoNotChange = fields().that().areDeclaredInClassesThat()
        .resideInAnyPackage(ROOT + "net", ROOT + "intent", ROOT + "flow", ROOT + "registry", ROOT + "plan")
        .and().areNotDeclaredIn(Planner.class).should().beFinal();

    @ArchTest
    final ArchRule stagesHaveNoState = fields().that().areDeclaredInClassesThat().implement(Stage.class)
        .should().beStatic().andShould().beFinal();

    @ArchTest
    final ArchRule stagesHaveTheNameOfOne = classes().that().implement(Stage.class)
        .should().haveSimpleNameEndingWith("Stage");

    /** A stage can be changed, or left out, without a look at the others. */
    @ArchTest
    final ArchRule stagesAreKnownToThePlannerAlone = classes().that().doNotBelongToAnyOf(Planner.class)
        .should(dependOnlyOn("no stage but itself", (from, to) ->
            !isStage(outermost(to)) || outermost(to).equals(outermost(from))));

    private static boolean isStage(final JavaClass each) {
        return each.isAssignableTo(Stage.class) && !each.isInterface();
    }

    private static JavaClass outermost(final JavaClass each) {
        JavaClass outer = each;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().orElseThrow();
        }
        return outer;
    }

    private static ArchCondition<JavaClass> dependOnlyOn(final String what,
            final BiPredicate<JavaClass, JavaClass> permitted) {
        return new ArchCondition<>("depend only on " + what) {
            @Override
            public void check(final JavaClass each, final ConditionEvents events) {
                for (final Dependency arrow : each.getDirectDependenciesFromSelf()) {
                    if (!permitted.test(each, arrow.getTargetClass().getBaseComponentType())) {
                        events.add(SimpleConditionEvent.violated(each, arrow.getDescription()));
                    }
                }
            }
        };
    }
}
