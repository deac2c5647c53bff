// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The server is plain Java, and knows of the pipeline what is configured and allocated, and nothing of flows. */
@AnalyzeClasses(packages = "io.penstock.dhcp", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    final ArchRule knowsOnlyIntentLeasesAndFrames = noClasses().should().dependOnClassesThat()
        .resideOutsideOfPackages("io.penstock.dhcp..", "io.penstock.frames", "io.penstock.pipeline.net",
            "io.penstock.pipeline.intent", "io.penstock.pipeline.allocation", "io.penstock.pipeline.registry",
            "java..");

    @ArchTest
    final ArchRule onlyTheClockTellsTheTime = noClasses().should().callMethod(java.time.Instant.class, "now")
        .orShould().callMethod(System.class, "currentTimeMillis").orShould().callMethod(System.class, "nanoTime");
}
