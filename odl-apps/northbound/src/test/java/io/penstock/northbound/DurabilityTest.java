// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** All modules of the controller: who may ask the wall clock, and who may write files. */
@AnalyzeClasses(packages = "io.penstock",
    importOptions = {ImportOption.DoNotIncludeTests.class, DurabilityTest.WithoutTestsOfOthers.class})
class DurabilityTest {
    private static final String TESTKIT = "io.penstock.testkit..";
    private static final Set<String> WRITES = Set.of("write", "writeString", "move", "copy", "newOutputStream",
        "newBufferedWriter", "newByteChannel");

    /** The tests of other modules, which come in jars. */
    static final class WithoutTestsOfOthers implements ImportOption {
        @Override
        public boolean includes(final Location location) {
            return !location.contains("-tests.jar");
        }
    }

    /** The wall clock jumps. Where it is meant, the classes that put the engine together hand it on. */
    @ArchTest
    final ArchRule timeIsInjected = noClasses().that().resideOutsideOfPackage(TESTKIT)
        .and().haveNameNotMatching("io\\.penstock\\.(northbound\\.Controller|engine\\.Environment"
            + "|access\\.login\\.AccountStore|access\\.web\\.Gate)")
        .should().callMethodWhere(describe("ask the wall clock", call ->
            List.of(Clock.class, Instant.class, LocalDate.class, LocalDateTime.class, OffsetDateTime.class,
                ZonedDateTime.class).stream().anyMatch(call.getTargetOwner()::isEquivalentTo)
                && (call.getName().equals("now") || call.getName().startsWith("system")
                    || call.getName().startsWith("tick"))
            || call.getTargetOwner().isEquivalentTo(System.class) && call.getName().equals("currentTimeMillis")))
        .orShould().callConstructor(Date.class);

    /** DurableFiles replaces whole files, Segments appends; each returns when the disk has it. */
    @ArchTest
    final ArchRule filesAreOnTheDisk = noClasses().that().resideOutsideOfPackage(TESTKIT)
        .and().haveNameNotMatching("io\\.penstock\\.(base\\.disk\\.DurableFiles|base\\.chain\\.Segments)")
        .should().callMethodWhere(describe("write or replace files", call ->
            call.getTargetOwner().isEquivalentTo(Files.class) && WRITES.contains(call.getName())
            || call.getTargetOwner().isEquivalentTo(FileChannel.class) && call.getName().equals("open")
            || call.getTargetOwner().isEquivalentTo(File.class) && call.getName().equals("renameTo")))
        .orShould().dependOnClassesThat().belongToAnyOf(FileOutputStream.class, FileWriter.class,
            RandomAccessFile.class);

    private static DescribedPredicate<JavaCall<?>> describe(final String words,
            final Predicate<JavaCall<?>> calls) {
        return DescribedPredicate.describe(words, calls);
    }
}
