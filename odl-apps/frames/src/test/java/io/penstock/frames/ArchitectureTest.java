// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Frames are plain Java. */
@AnalyzeClasses(packages = "io.penstock.frames", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    final ArchRule knowsOnlyJava = noClasses().should().dependOnClassesThat()
        .resideOutsideOfPackages("io.penstock.frames..", "java..");
}
