// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

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
}
