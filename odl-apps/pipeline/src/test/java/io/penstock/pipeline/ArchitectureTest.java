// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.stage.Stage;

/** The planner stays plain Java, and its packages point one way: plan, stage, intent, then flow with the registry. */
@AnalyzeClasses(packages = "io.penstock.pipeline", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    final ArchRule knowsOnlyJava = noClasses().should().dependOnClassesThat()
        .resideOutsideOfPackages("io.penstock.pipeline..", "java..");

    @ArchTest
    final ArchRule flowsKnowNoIntent = noClasses()
        .that().resideInAnyPackage("io.penstock.pipeline.flow", "io.penstock.pipeline.registry")
        .should().dependOnClassesThat()
        .resideInAnyPackage("io.penstock.pipeline.intent", "io.penstock.pipeline.stage", "io.penstock.pipeline.plan");

    @ArchTest
    final ArchRule intentKnowsNoStage = noClasses().that().resideInAPackage("io.penstock.pipeline.intent")
        .should().dependOnClassesThat()
        .resideInAnyPackage("io.penstock.pipeline.stage", "io.penstock.pipeline.plan");

    @ArchTest
    final ArchRule stagesKnowNoPlan = noClasses().that().resideInAPackage("io.penstock.pipeline.stage")
        .should().dependOnClassesThat().resideInAPackage("io.penstock.pipeline.plan");

    /** A stage can be changed, or left out, without a look at the others. */
    @ArchTest
    final ArchRule stagesAreKnownToThePlannerAlone = classes().that().doNotBelongToAnyOf(Planner.class)
        .should(new ArchCondition<>("know no stage but themselves") {
            @Override
            public void check(final JavaClass each, final ConditionEvents events) {
                each.getDirectDependenciesFromSelf().stream().filter(arrow -> {
                    final JavaClass target = outermost(arrow.getTargetClass().getBaseComponentType());
                    return isStage(target) && !target.equals(outermost(each));
                }).forEach(arrow -> events.add(SimpleConditionEvent.violated(each, arrow.getDescription())));
            }
        });

    @ArchTest
    final ArchRule stagesHaveTheNameOfOne = classes().that().implement(Stage.class)
        .should().haveSimpleNameEndingWith("Stage");

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
}
