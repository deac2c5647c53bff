// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
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
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What each package may use. One that is not listed may use nothing, and nothing may use it. */
@AnalyzeClasses(packages = "io.penstock.engine", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "io.penstock.engine";
    private static final List<String> COMMON = List.of("java", "org.slf4j", "org.jspecify", "com.google.common",
        "com.google.errorprone", "io.penstock.pipeline");
    private static final String JSON = "com.google.gson";
    private static final String MDSAL = "org.opendaylight";
    private static final String OSGI = "org.osgi";
    private static final String OPENFLOW = "io.penstock.southbound.openflow";
    private static final String OVSDB = "io.penstock.southbound.ovsdb";
    private static final String FRAMES = "io.penstock.frames";

    /** By package, the other packages of the engine and the libraries that it may use. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
        Map.entry("api", Set.of()),
        Map.entry("task", Set.of()),
        Map.entry("journal", Set.of(JSON)),
        Map.entry("event", Set.of()),
        Map.entry("export", Set.of("event", "journal")),
        Map.entry("config", Set.of(MDSAL, OSGI, OVSDB)),
        Map.entry("grant", Set.of("config")),
        Map.entry("link", Set.of("api", "config", OPENFLOW, FRAMES)),
        Map.entry("neighbour", Set.of("config", "link", OPENFLOW, FRAMES)),
        Map.entry("ipv6", Set.of("config", "link", "neighbour", "task", OPENFLOW, FRAMES)),
        Map.entry("error", Set.of("config", "ipv6", "link", OPENFLOW, FRAMES)),
        Map.entry("dhcp", Set.of("config", "event", "grant", "link", OPENFLOW, FRAMES, "io.penstock.dhcp")),
        Map.entry("subscriber", Set.of("config", "event", "grant", "link", "pool", OPENFLOW)),
        Map.entry("pool", Set.of("api", "config", "event", "grant")),
        Map.entry("health", Set.of("api", "config", "link", "task", OPENFLOW, FRAMES)),
        Map.entry("canary", Set.of("config", "event", "grant", "health", OPENFLOW)),
        Map.entry("node", Set.of("api", "config", "event", "task", JSON, OPENFLOW, OVSDB)),
        Map.entry("trace", Set.of("api", "config", "node", JSON, OVSDB)),
        Map.entry("state", Set.of("config", "event", "grant", "health", "node", "task", OVSDB)),
        Map.entry("rest", Set.of("api", "event", "node", "state", "task", MDSAL)),
        Map.entry("stream", Set.of("event", JSON, MDSAL, OSGI, "javax.servlet")),
        Map.entry("request", Set.of("event", "journal", "task", JSON, MDSAL, OSGI, "javax.servlet", "javax.xml")));

    @ArchTest
    final ArchRule everyPackageUsesWhatIsListedForIt = classes().that(new DescribedPredicate<>("are in a package") {
        @Override
        public boolean test(final JavaClass each) {
            return !each.getPackageName().equals(ROOT);
        }
    }).should(new ArchCondition<>("use what is listed for their package") {
        @Override
        public void check(final JavaClass each, final ConditionEvents events) {
            final String place = each.getPackageName().substring(ROOT.length() + 1);
            each.getDirectDependenciesFromSelf().stream().filter(arrow -> !allows(place, arrow))
                .forEach(arrow -> events.add(SimpleConditionEvent.violated(each, arrow.getDescription())));
        }
    });

    private static boolean allows(final String place, final Dependency arrow) {
        final JavaClass target = arrow.getTargetClass().getBaseComponentType();
        final String used = target.getPackageName();
        if (target.isPrimitive() || used.equals(ROOT + "." + place)
                || COMMON.stream().anyMatch(prefix -> (used + ".").startsWith(prefix + "."))) {
            return true;
        }
        return ARROWS.getOrDefault(place, Set.of()).stream().map(each -> each.contains(".") ? each : ROOT + "." + each)
            .anyMatch(each -> (used + ".").startsWith(each + "."));
    }

    /** The root package makes the parts, and no part knows it. */
    @ArchTest
    final ArchRule partsDoNotKnowTheirMaker = noClasses().that().resideInAPackage(ROOT + ".*")
        .should().dependOnClassesThat().resideInAPackage(ROOT);

    @ArchTest
    final ArchRule theWireIsKnownToNoClass = noClasses().should().dependOnClassesThat()
        .resideInAPackage("io.penstock.southbound.openflow.wire..");

    @ArchTest
    final ArchRule noStageIsCalledDirectly = noClasses().should().dependOnClassesThat()
        .haveSimpleNameEndingWith("Stage");
}
