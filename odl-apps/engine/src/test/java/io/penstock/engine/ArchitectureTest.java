// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** OpenDaylight is seen at the edges of the engine alone, and each adapter is used where it belongs. */
@AnalyzeClasses(packages = "io.penstock.engine", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    final ArchRule workersKnowNoOpendaylight = noClasses()
        .that().resideInAnyPackage("io.penstock.engine.node", "io.penstock.engine.link", "io.penstock.engine.neighbour",
            "io.penstock.engine.api", "io.penstock.engine.journal", "io.penstock.engine.export",
            "io.penstock.engine.subscriber", "io.penstock.engine.dhcp", "io.penstock.engine.ipv6",
            "io.penstock.engine.error", "io.penstock.engine.canary", "io.penstock.engine.health",
            "io.penstock.engine.task", "io.penstock.engine.trace")
        .should().dependOnClassesThat().resideInAPackage("org.opendaylight..");

    @ArchTest
    final ArchRule threadsKnowNotWhatTheyCarryOut = noClasses()
        .that().resideInAPackage("io.penstock.engine.task")
        .should().dependOnClassesThat(resideInAPackage("io.penstock..").and(
            not(resideInAPackage("io.penstock.engine.task"))));

    @ArchTest
    final ArchRule configurationKnowsNoSwitch = noClasses()
        .that().resideInAPackage("io.penstock.engine.config").should().dependOnClassesThat()
        .resideInAnyPackage("io.penstock.southbound.openflow..", "io.penstock.engine.node",
            "io.penstock.engine.link", "io.penstock.engine.neighbour", "io.penstock.engine.rest");

    @ArchTest
    final ArchRule nobodyKnowsTheWire = noClasses().should().dependOnClassesThat()
        .resideInAPackage("io.penstock.southbound.openflow.wire..");

    @ArchTest
    final ArchRule noStageIsCalledDirectly = noClasses().should().dependOnClassesThat()
        .haveSimpleNameEndingWith("Stage");
}
