// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The diagnosis is plain Java: facts go in, an answer comes out. It reads no clock. */
@AnalyzeClasses(packages = "io.penstock.diagnosis", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    final ArchRule knowsOnlyFactsAndThePipeline = noClasses().should().dependOnClassesThat()
        .resideOutsideOfPackages("io.penstock.diagnosis", "io.penstock.operations", "io.penstock.pipeline.net",
            "io.penstock.pipeline.intent", "io.penstock.pipeline.allocation", "io.penstock.pipeline.stage", "java..",
            "org.jspecify..");

    @ArchTest
    final ArchRule noClockIsRead = noClasses().should().callMethod(java.time.Instant.class, "now")
        .orShould().callMethod(System.class, "currentTimeMillis").orShould().callMethod(System.class, "nanoTime");
}
