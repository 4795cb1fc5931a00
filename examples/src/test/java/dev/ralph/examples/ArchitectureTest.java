package dev.ralph.examples;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.ralph.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The arrows between the modules point one way, and what belongs to a program stays out of the
 * library.
 */
class ArchitectureTest {
  private static final String[] API = {
    "dev.ralph", "dev.ralph.log..", "dev.ralph.tool..", "dev.ralph.spi.."
  };
  private static final String[] CORE = {
    "dev.ralph.core..", "dev.ralph.domain..", "dev.ralph.store.memory.."
  };
  private static final String[] JAVA = {"java..", "javax..", "org.jspecify.."};
  private static final String[] JACKSON = {"com.fasterxml.jackson.."};
  private static final String[] JACKSON_STREAMING = {"com.fasterxml.jackson.core.."};
  private static final String[] TEST_LIBRARIES = {
    "org.junit..", "org.assertj..", "org.opentest4j..", "org.apiguardian.."
  };

  /**
   * The packages of programs, which own their process: its streams, signals and end. The kit starts
   * processes of its own, and prints what a store declares.
   */
  private static final String[] PROGRAMS = {
    "dev.ralph.cli..", "dev.ralph.examples..", "dev.ralph.benchmarks..", "dev.ralph.tck.."
  };

  /** Nothing is built on these, and they measure and break what they like. */
  private static final Set<String> PROGRAMS_FOR_DEVELOPERS = Set.of("benchmarks", "chaos");

  /** A module's name, in the place of a class or in that of its jar. */
  private static final Pattern MODULE = Pattern.compile("/([a-z-]+)/(?:target|[0-9][^/]*)/");

  private static JavaClasses ralph;

  @BeforeAll
  static void importEveryModule() {
    ralph =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.ralph");
  }

  /** Or the rules below would hold for a module just because nobody looks at it. */
  @Test
  void everyModuleIsLookedAt() throws IOException {
    Set<String> seen = new TreeSet<>();
    for (JavaClass type : ralph) {
      type.getSource()
          .map(source -> MODULE.matcher(source.getUri().toString()))
          .filter(Matcher::find)
          .ifPresent(module -> seen.add(module.group(1)));
    }

    List<String> expected = new ArrayList<>();
    try (Stream<Path> folders = Files.list(Path.of(".."))) {
      folders
          .filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
          .map(folder -> folder.getFileName().toString())
          .filter(module -> !PROGRAMS_FOR_DEVELOPERS.contains(module))
          .forEach(expected::add);
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void theApiStandsAlone() {
    check(only(API, API, JAVA));
  }

  @Test
  void coreKnowsTheApiAlone() {
    check(only(CORE, API, JAVA));
  }

  /** So that whoever writes a domain of their own has all that they have. */
  @Test
  void tasksAndTheirLikeAreWrittenOnWhatEveryDomainCanUse() {
    String[] domains =
        Stream.of("task", "inbox", "note", "question", "iteration", "control")
            .map(domain -> "dev.ralph.core.internal." + domain)
            .toArray(String[]::new);
    check(only(domains, API, JAVA, domains, packages("dev.ralph.domain..")));
  }

  @Test
  void aDomainOfYourOwnIsWrittenOnThePublicApi() {
    JavaClasses domains =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.example");
    only(packages("org.example.."), API, JAVA, packages("dev.ralph.domain", "org.example.."))
        .check(domains);
  }

  @Test
  void storeSupportKnowsTheApi() {
    check(only(packages("dev.ralph.store.support.."), API, JAVA));
  }

  @Test
  void theFileStoreParsesByStreaming() {
    check(
        only(
            packages("dev.ralph.store.file.."),
            API,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.store.support..")));
  }

  @Test
  void theStoreOnChronicleKnowsChronicleInOneClass() {
    String[] chronicle = {"net.openhft..", "org.slf4j.."};
    check(
        only(
            packages("dev.ralph.store.chronicle.."),
            API,
            JAVA,
            chronicle,
            packages("dev.ralph.store.support..")));
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.ralph..")
            .and()
            .doNotHaveFullyQualifiedName("dev.ralph.store.chronicle.Queue")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(chronicle));
  }

  @Test
  void theTestKitKnowsTheApiAndTheTestLibraries() {
    check(only(packages("dev.ralph.tck.."), API, JAVA, TEST_LIBRARIES));
  }

  @Test
  void agentsKnowCore() {
    check(only(packages("dev.ralph.agents.."), API, JAVA, JACKSON, packages("dev.ralph.core..")));
  }

  @Test
  void transferKnowsNoKindOfStore() {
    check(
        only(
            packages("dev.ralph.transfer.."),
            API,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.domain", "dev.ralph.core.text")));
  }

  @Test
  void mailIsWrittenOnWhatEveryDomainCanUse() {
    check(
        only(
            packages("dev.ralph.mail.."),
            API,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.core.text", "dev.ralph.core.internal.process"),
            packages("dev.ralph.domain..", "dev.ralph.store.support..", "org.snakeyaml.engine..")));
  }

  /** So that nobody else has to carry it. */
  @Test
  void oneClassReadsYaml() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.ralph..")
            .and()
            .doNotHaveFullyQualifiedName("dev.ralph.mail.tx.FrontMatter")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.snakeyaml.."));
  }

  @Test
  void changesAreWorkedOnWithWhatEveryHostCanUse() {
    check(
        only(
            packages("dev.ralph.openspec.."),
            API,
            JAVA,
            packages("dev.ralph.domain..", "dev.ralph.core", "dev.ralph.core.text")));
  }

  @Test
  void theMcpServerKnowsTheApi() {
    check(only(packages("dev.ralph.mcp.."), API, JAVA));
  }

  @Test
  void whatHostsTestWithKnowsTheApi() {
    check(only(packages("dev.ralph.test.."), API, JAVA));
  }

  @Test
  void nobodyUsesTheInternalsOfCoreButItsWayToStartProcesses() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(not(resideInAPackage("dev.ralph.core..")))
            .should()
            .dependOnClassesThat(
                resideInAPackage("dev.ralph.core..internal..")
                    .and(not(resideInAPackage("dev.ralph.core.internal.process")))));
  }

  @Test
  void theLogKnowsNothingOfSessions() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.log"))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("dev.ralph", "dev.ralph.tool..")
                    .and(not(assignableTo(RalphException.class)))
                    .and(not(belongToAnyOf(RalphException.class)))));
  }

  @Test
  void packagesHaveNoCycles() {
    check(slices().assignedFrom(eachPackage()).should().beFreeOfCycles());
  }

  @Test
  void theLibraryLogsBySystemLogger() {
    check(library().should().dependOnClassesThat().resideInAPackage("java.util.logging.."));
  }

  @Test
  void theLibraryPrintsNothing() {
    check(library().should(ACCESS_STANDARD_STREAMS));
  }

  @Test
  void theLibraryLeavesTheProcessToItsHost() {
    check(
        library()
            .should()
            .callMethod(System.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "exit", int.class)
            .orShould()
            .callMethod(Runtime.class, "halt", int.class)
            .orShould()
            .callMethod(Runtime.class, "addShutdownHook", Thread.class)
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching("(sun|jdk\\.internal)\\.misc\\.Signal.*"));
  }

  private static GivenClassesConjunction library() {
    return noClasses().that(resideInAPackage("dev.ralph..")).and(not(resideInAnyPackage(PROGRAMS)));
  }

  private static ArchRule only(String[] from, String[]... to) {
    String[] allowed =
        Stream.of(Stream.of(from), Stream.of(to).flatMap(Stream::of))
            .flatMap(each -> each)
            .toArray(String[]::new);
    return classes()
        .that(resideInAnyPackage(from))
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage(allowed));
  }

  private static String[] packages(String... packages) {
    return packages;
  }

  /**
   * A module has no package in common with another, so this covers each module by itself. The
   * packages of the API are sorted by who reads them and count as one.
   */
  private static SliceAssignment eachPackage() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return SliceIdentifier.of(
            resideInAnyPackage(API).test(type) ? "the API" : type.getPackageName());
      }

      @Override
      public String getDescription() {
        return "packages";
      }
    };
  }

  private static void check(ArchRule rule) {
    rule.check(ralph);
  }
}
