// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameEndingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

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
import java.util.stream.Stream;

/**
 * What each package of the controller may use. One that is not listed may use nothing, and nothing may use it. The
 * planner has a test of its own.
 */
@AnalyzeClasses(packages = "io.penstock",
    importOptions = {ImportOption.DoNotIncludeTests.class, DurabilityTest.WithoutTestsOfOthers.class})
class ArchitectureTest {
    private static final String ROOT = "io.penstock.";
    private static final List<String> COMMON = List.of("java", "org.slf4j", "org.jspecify", "com.google.common",
        "com.google.errorprone");
    private static final String JSON = "com.google.gson";
    private static final String MDSAL = "org.opendaylight";
    private static final String OSGI = "org.osgi";
    private static final String SERVLET = "javax.servlet";
    private static final String OPENFLOW = ROOT + "southbound.openflow";
    private static final String OVSDB = ROOT + "southbound.ovsdb";
    private static final String PIPELINE = ROOT + "pipeline";
    private static final String FRAMES = ROOT + "frames";

    /** Modules with a test of their own, or that nothing here has to hold back. */
    private static final List<String> ELSEWHERE = List.of("pipeline", "dhcp", "frames", "southbound", "ovsdb",
        "testkit", "aaa");

    /** By package, the other packages and the libraries that it may use. */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
        Map.entry("operations", Set.of()),
        Map.entry("diagnosis", Set.of("operations", PIPELINE)),
        Map.entry("base.tasks", Set.of()),
        Map.entry("base.disk", Set.of()),
        Map.entry("base.chain", Set.of("base.disk")),
        Map.entry("access", Set.of(JSON)),
        Map.entry("access.audit", Set.of("access", "base.chain", JSON, MDSAL, OSGI)),
        Map.entry("access.history", Set.of("access.audit", "base.chain", JSON, MDSAL, OSGI)),
        Map.entry("access.login", Set.of("access", MDSAL, OSGI, "javax.crypto")),
        Map.entry("access.web", Set.of("access", "access.audit", "access.login", JSON, MDSAL, OSGI, SERVLET)),
        Map.entry("base.tls", Set.of("javax.net.ssl", "javax.security.auth.x500")),
        Map.entry("events", Set.of(PIPELINE)),
        Map.entry("journal", Set.of("base.chain", "base.disk", PIPELINE, JSON)),
        Map.entry("journal.export", Set.of("base.tasks", "events", "journal", PIPELINE)),
        Map.entry("requests", Set.of("base.disk", "base.tasks", "events", JSON, MDSAL, OSGI, SERVLET, "javax.xml")),
        Map.entry("configuration", Set.of(PIPELINE, OVSDB, MDSAL, OSGI)),
        Map.entry("membership", Set.of("base.disk", "akka", "javax.management", "java.lang.management",
            "org.opendaylight.controller.cluster", MDSAL, OSGI)),
        Map.entry("configuration.grant", Set.of("configuration", PIPELINE)),
        Map.entry("packets.link", Set.of("configuration", "operations", PIPELINE, OPENFLOW, FRAMES)),
        Map.entry("packets.neighbour", Set.of("configuration", "packets.link", PIPELINE, OPENFLOW, FRAMES)),
        Map.entry("packets.ipv6", Set.of("base.tasks", "configuration", "packets.link", "packets.neighbour", PIPELINE,
            OPENFLOW, FRAMES)),
        Map.entry("packets.icmp", Set.of("configuration", "packets.ipv6", "packets.link", PIPELINE, OPENFLOW, FRAMES)),
        Map.entry("packets.dhcp", Set.of("configuration", "configuration.grant", "events", "packets.link", PIPELINE,
            OPENFLOW, FRAMES, ROOT + "dhcp")),
        Map.entry("packets.pool", Set.of("configuration", "configuration.grant", "events", "operations", PIPELINE)),
        Map.entry("packets.subscriber", Set.of("configuration", "configuration.grant", "events", "packets.link",
            "packets.pool", PIPELINE, OPENFLOW)),
        Map.entry("functions.health", Set.of("base.tasks", "configuration", "operations", "packets.link", PIPELINE,
            OPENFLOW, FRAMES)),
        Map.entry("functions.canary", Set.of("configuration", "configuration.grant", "events", "functions.health",
            PIPELINE, OPENFLOW)),
        Map.entry("engine.node", Set.of("base.tasks", "configuration", "events", "operations", PIPELINE, JSON, OPENFLOW,
            OVSDB)),
        Map.entry("engine.trace", Set.of("configuration", "engine.node", "operations", PIPELINE, JSON, OVSDB)),
        Map.entry("engine.state", Set.of("base.tasks", "configuration", "configuration.grant", "engine.node",
            "events", "functions.health", PIPELINE, OVSDB)),
        Map.entry("engine", Set.of("base", "configuration", "engine", "events", "functions", "journal", "operations",
            "packets", PIPELINE, OPENFLOW, OVSDB)),
        Map.entry("metrics", Set.of("configuration", "engine", "engine.node", "engine.state", "events",
            "functions.health", "operations", "packets.dhcp", PIPELINE, "io.prometheus.metrics", "javax.management",
            "java.lang.management", OSGI, SERVLET)),
        Map.entry("northbound.rest", Set.of("base.tasks", "engine.node", "engine.state", "events", "operations",
            PIPELINE, MDSAL)),
        Map.entry("northbound.stream", Set.of("access", "access.login", "base.tasks", "events", "membership",
            "metrics", JSON, MDSAL, OSGI, SERVLET)),
        Map.entry("northbound", Set.of("base", "configuration", "diagnosis", "engine", "events", "functions", "journal",
            "membership", "metrics", "northbound", "operations", "packets", "requests", PIPELINE, OPENFLOW, OVSDB,
            ROOT + "dhcp", MDSAL, OSGI)));
    /** Packages that make others of parts: they may use all below the packages that are listed for them. */
    private static final Set<String> MAKERS = Set.of("engine", "northbound");

    @ArchTest
    final ArchRule everyPackageUsesWhatIsListedForIt = classes().should(
        new ArchCondition<>("use what is listed for their package") {
            @Override
            public void check(final JavaClass each, final ConditionEvents events) {
                final String place = place(each);
                if (ELSEWHERE.stream().noneMatch(module -> isIn(place, module))) {
                    each.getDirectDependenciesFromSelf().stream().filter(arrow -> !allows(place, arrow))
                        .forEach(arrow -> events.add(SimpleConditionEvent.violated(each, arrow.getDescription())));
                }
            }
        });

    private static String place(final JavaClass type) {
        final String name = type.getPackageName();
        return name.startsWith(ROOT) ? name.substring(ROOT.length()) : name;
    }

    private static boolean allows(final String place, final Dependency arrow) {
        final JavaClass target = arrow.getTargetClass().getBaseComponentType();
        final String used = place(target);
        if (target.isPrimitive() || used.equals(place) || COMMON.stream().anyMatch(prefix -> isIn(used, prefix))) {
            return true;
        }
        final Stream<String> allowed = ARROWS.getOrDefault(place, Set.of()).stream()
            .map(each -> each.startsWith(ROOT) ? each.substring(ROOT.length()) : each);
        // A package of the controller stands for itself alone, so that a new one below it has to be listed.
        return allowed.anyMatch(each -> MAKERS.contains(place) || !ARROWS.containsKey(each)
            ? isIn(used, each) : used.equals(each));
    }

    private static boolean isIn(final String name, final String prefix) {
        return (name + ".").startsWith(prefix + ".");
    }

    @ArchTest
    final ArchRule theWireIsKnownToNoClass = noClasses().that().resideOutsideOfPackage(OPENFLOW + "..")
        .should().dependOnClassesThat().resideInAPackage(OPENFLOW + ".wire..");

    @ArchTest
    final ArchRule noStageIsCalledDirectly = noClasses().that()
        .resideOutsideOfPackages(PIPELINE + "..", ROOT + "testkit..")
        .should().dependOnClassesThat(simpleNameEndingWith("Stage").and(resideInAPackage(PIPELINE + "..")));
}
