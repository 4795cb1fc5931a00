package dev.ralph.examples;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
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
    "dev.ralph", "dev.ralph.log", "dev.ralph.tool", "dev.ralph.spi"
  };

  /** What a store is written on, and all that knows stores alone. */
  private static final String[] LOG = {"dev.ralph.log", "dev.ralph.spi"};

  private static final String[] CORE = {
    "dev.ralph.core..", "dev.ralph.domain..", "dev.ralph.store.memory.."
  };

  /** The internals of core that it exports, to modules by name. */
  private static final String[] SHARED =
      Stream.of("cost", "git", "message", "process", "text")
          .map(name -> "dev.ralph.core.internal." + name)
          .toArray(String[]::new);

  /** The class itself and what it uses; and those that reach files of the system's, or of git's. */
  private static final DescribedPredicate<JavaClass> IS_TO_REACH_FILES =
      DescribedPredicate.describe(
          "are to reach files",
          each ->
              Set.of(
                      "StoreFiles",
                      "PrivateFiles",
                      "ScratchFolder",
                      "SystemStart",
                      "EnclosingRepository")
                  .contains(each.getSimpleName()));

  private static final DescribedPredicate<JavaMethodCall> OPENS_OR_CHANGES_A_FILE =
      DescribedPredicate.describe(
          "a method opens or changes a file by its path",
          call ->
              call.getTargetOwner().isEquivalentTo(Files.class)
                  && Pattern.matches(
                      "(create|delete|move|copy|write|new|read(All|String)|list$).*",
                      call.getName()));

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
  void theLogStandsAlone() {
    check(only(packages("dev.ralph.log"), JAVA));
  }

  @Test
  void whatStoresImplementStandsOnTheLog() {
    check(only(packages("dev.ralph.spi"), packages("dev.ralph.log"), JAVA));
  }

  /** Sessions and loops hand them out. */
  @Test
  void toolsOfAgentsKnowNothingOfSessions() {
    check(only(packages("dev.ralph.tool"), packages("dev.ralph.log"), JAVA));
  }

  /** It serves a log to agents that can't reach it otherwise. */
  @Test
  void coreKnowsTheApiAndTheSocket() {
    check(only(CORE, API, JAVA, packages("dev.ralph.store.socket")));
  }

  /** Folds, views and decisions can be read, tried and used without sessions. */
  @Test
  void whatDomainsAreWrittenOnKnowsNothingOfSessions() {
    String[] floor = {"dev.ralph.domain", "dev.ralph.core.internal.view", "dev.ralph.store.memory"};
    check(
        classes()
            .that(resideInAnyPackage(floor))
            .should()
            .onlyDependOnClassesThat(
                resideInAnyPackage(floor)
                    .or(resideInAnyPackage(LOG))
                    .or(resideInAnyPackage(JAVA))
                    .or(simpleName("Excerpt"))));
  }

  /** So that somebody who writes a domain has all that ours have. */
  @Test
  void tasksAndTheirLikeAreWrittenOnWhatEveryDomainCanUse() {
    String[] domains =
        Stream.of("task", "inbox", "message", "note", "question", "iteration", "control")
            .map(domain -> "dev.ralph.core.internal." + domain)
            .toArray(String[]::new);
    check(only(domains, API, JAVA, packages("dev.ralph.domain")));
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
  void storeSupportKnowsTheLog() {
    check(only(packages("dev.ralph.store.support.."), LOG, JAVA));
  }

  @Test
  void theFileStoreParsesByStreaming() {
    check(
        only(
            packages("dev.ralph.store.file.."),
            LOG,
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
            LOG,
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
  void theStoreOnPostgresKnowsTheLogAndTheDriver() {
    check(only(packages("dev.ralph.store.postgres.."), LOG, JAVA, packages("org.postgresql..")));
  }

  @Test
  void theStoreBehindASocketKnowsTheLog() {
    check(only(packages("dev.ralph.store.socket.."), LOG, JAVA));
  }

  @Test
  void theTestKitKnowsTheLogAndTheTestLibraries() {
    check(only(packages("dev.ralph.tck.."), LOG, JAVA, TEST_LIBRARIES));
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
            LOG,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.domain")));
  }

  @Test
  void mailIsWrittenOnWhatEveryDomainCanUse() {
    check(
        only(
            packages("dev.ralph.mail.."),
            API,
            JAVA,
            packages("dev.ralph.core.internal.message", "dev.ralph.core.internal.text"),
            packages("dev.ralph.domain")));
  }

  /** Neither AgentMail's files, so that nobody has to carry both. */
  @Test
  void txIsWrittenOnMail() {
    check(
        only(
            packages("dev.ralph.tx.."),
            API,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.core.internal.text", "dev.ralph.core.internal.process"),
            packages("dev.ralph.domain..", "dev.ralph.mail", "dev.ralph.store.support.."),
            packages("org.snakeyaml.engine..")));
  }

  @Test
  void agentMailIsWrittenOnMailAndOpensNoStore() {
    check(
        only(
            packages("dev.ralph.agentmail.."),
            API,
            JAVA,
            packages("dev.ralph.core.internal.process", "dev.ralph.domain..", "dev.ralph.mail")));
  }

  @Test
  void oneClassReadsYaml() {
    check(
        noClasses()
            .that()
            .resideInAPackage("dev.ralph..")
            .and()
            .doNotHaveFullyQualifiedName("dev.ralph.tx.FrontMatter")
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
            packages(
                "dev.ralph.domain",
                "dev.ralph.core",
                "dev.ralph.core.internal.git",
                "dev.ralph.core.internal.text")));
  }

  @Test
  void theMcpServerKnowsTheApi() {
    check(only(packages("dev.ralph.mcp.."), API, JAVA));
  }

  @Test
  void theServerKnowsTheApi() {
    check(
        only(
            packages("dev.ralph.web.."),
            API,
            JAVA,
            packages(
                "com.sun.net.httpserver",
                "dev.ralph.mcp",
                "dev.ralph.core.host",
                "dev.ralph.domain",
                "dev.ralph.core.internal.cost",
                "dev.ralph.core.internal.process",
                "dev.ralph.core.internal.text")));
  }

  @Test
  void whatHostsTestWithKnowsTheApi() {
    check(only(packages("dev.ralph.test.."), API, JAVA));
  }

  @Test
  void nobodyUsesTheInternalsOfCoreButThoseThatAreShared() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(not(resideInAPackage("dev.ralph.core..")))
            .should()
            .dependOnClassesThat(
                resideInAPackage("dev.ralph.core..internal..")
                    .and(not(resideInAnyPackage(SHARED)))));
  }

  /** The log in segments is our two stores' alone; other stores are written on what is public. */
  @Test
  void nobodyUsesSegmentsButOurStores() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(not(resideInAPackage("dev.ralph.store..")))
            .should()
            .dependOnClassesThat(resideInAPackage("dev.ralph.store.support.internal.segment")));
  }

  /** Each process that is started has a limit, an end and words for what fails; but the kit's. */
  @Test
  void processesAreStartedInOnePlace() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(
                not(
                    resideInAnyPackage(
                        "dev.ralph.core.internal.process",
                        "dev.ralph.tck",
                        "dev.ralph.examples..",
                        "dev.ralph.benchmarks..")))
            .should()
            .dependOnClassesThat()
            .areAssignableTo(ProcessBuilder.class));
  }

  /** A store may come from somebody else, who has put links into it: one class looks for them. */
  @Test
  void filesBelowAStoresFolderAreReachedThroughOneClass() {
    check(
        noClasses()
            .that(
                resideInAnyPackage(
                    "dev.ralph.store.file..",
                    "dev.ralph.store.chronicle..",
                    "dev.ralph.store.support.."))
            .and(not(IS_TO_REACH_FILES))
            .should()
            .callConstructor(RandomAccessFile.class, File.class, String.class)
            .orShould()
            .callMethodWhere(OPENS_OR_CHANGES_A_FILE));
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

  /** A module has no package in common with another, so this covers each module by itself. */
  private static SliceAssignment eachPackage() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return SliceIdentifier.of(type.getPackageName());
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
