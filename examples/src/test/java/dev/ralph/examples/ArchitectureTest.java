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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks the permitted dependencies between modules, and that only programs use the process: its
 * streams, signals and exit.
 */
class ArchitectureTest {
  private static final String[] API = {
    "dev.ralph", "dev.ralph.log", "dev.ralph.tool", "dev.ralph.spi", "dev.ralph.internal"
  };

  /** The packages that a store implementation may use. */
  private static final String[] LOG = {"dev.ralph.log", "dev.ralph.spi"};

  private static final String[] CORE = {
    "dev.ralph.core..", "dev.ralph.domain..", "dev.ralph.store.memory.."
  };

  /** The internal packages that core exports to named modules. */
  private static final String[] SHARED =
      Stream.of(
              "branch",
              "cost",
              "delivery",
              "diff",
              "engine",
              "git",
              "host",
              "json",
              "message",
              "process",
              "text")
          .map(name -> "dev.ralph.core.internal." + name)
          .toArray(String[]::new);

  /**
   * The class that opens files safely with its helpers, and the classes that read system or Git
   * files.
   */
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

  private static final String[] JAVA = {
    "java..", "javax..", "org.jspecify..", "com.fasterxml.jackson.annotation.."
  };
  private static final String[] JACKSON = {"com.fasterxml.jackson.."};
  private static final String[] JACKSON_STREAMING = {"com.fasterxml.jackson.core.."};
  private static final String[] TEST_LIBRARIES = {
    "org.junit..", "org.assertj..", "org.opentest4j..", "org.apiguardian.."
  };

  /**
   * The packages of programs, which own their process: its streams, signals and exit. The TCK
   * starts processes and prints the capabilities of a store.
   */
  private static final String[] PROGRAMS = {
    "dev.ralph.cli..", "dev.ralph.examples..", "dev.ralph.benchmarks..", "dev.ralph.tck.."
  };

  /** Programs for developers; no module depends on them, so the rules do not apply. */
  private static final Set<String> PROGRAMS_FOR_DEVELOPERS = Set.of("benchmarks", "chaos");

  /** The module name in the path of a class folder or a jar. */
  private static final Pattern MODULE = Pattern.compile("/([a-z-]+)/(?:target|[0-9][^/]*)/");

  private static JavaClasses ralph;

  @BeforeAll
  static void importEveryModule() {
    ralph =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.ralph");
  }

  /** Guards the rules below, which pass for a module whose classes are not imported. */
  @Test
  void everyModule_isImported() throws IOException {
    Set<String> seen = new TreeSet<>();
    for (JavaClass type : ralph) {
      type.getSource()
          .map(source -> MODULE.matcher(source.getUri().toString()))
          .filter(Matcher::find)
          .ifPresent(module -> seen.add(module.group(1)));
    }

    List<String> expected =
        ProjectModules.withCode().stream()
            .filter(folder -> !folder.startsWith(ProjectModules.ROOT.resolve("frameworks")))
            .map(folder -> folder.getFileName().toString())
            .filter(module -> !PROGRAMS_FOR_DEVELOPERS.contains(module))
            .toList();
    assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void api_dependsOnJdkOnly() {
    check(only(API, API, JAVA));
  }

  @Test
  void log_dependsOnJdkOnly() {
    check(only(packages("dev.ralph.log"), JAVA));
  }

  @Test
  void spi_dependsOnLogOnly() {
    check(only(packages("dev.ralph.spi"), packages("dev.ralph.log", "dev.ralph.internal"), JAVA));
  }

  /** Sessions and loops provide the tools. */
  @Test
  void agentTools_doNotDependOnSessions() {
    check(only(packages("dev.ralph.tool"), packages("dev.ralph.log"), JAVA));
  }

  /** The service loader finds every store, also the socket server. */
  @Test
  void core_dependsOnApi() {
    check(only(CORE, API, JAVA));
  }

  /** Folds, views and decisions must be usable without sessions. */
  @Test
  void domainKit_doesNotDependOnSessions() {
    String[] floor = {"dev.ralph.domain", "dev.ralph.core.internal.view", "dev.ralph.store.memory"};
    check(
        classes()
            .that(resideInAnyPackage(floor))
            .should()
            .onlyDependOnClassesThat(
                resideInAnyPackage(floor)
                    .or(resideInAnyPackage(LOG))
                    .or(resideInAnyPackage(JAVA))
                    .or(resideInAnyPackage("dev.ralph.internal"))
                    .or(simpleName("TextExcerpt"))));
  }

  /**
   * Authors of domains must have the same means as the built-in domains. The JSON of the views is
   * shared with the command and the page.
   */
  @Test
  void builtInDomains_useTheDomainKit() {
    String[] domains =
        Stream.of("task", "inbox", "message", "note", "question", "iteration", "control")
            .map(domain -> "dev.ralph.core.internal." + domain)
            .toArray(String[]::new);
    String[] kit =
        packages(
            "dev.ralph.domain", "dev.ralph.core.internal.delivery", "dev.ralph.core.internal.json");
    check(only(domains, API, JAVA, kit));
  }

  @Test
  void exampleDomain_usesThePublicApi() {
    JavaClasses domains =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("org.example");
    only(packages("org.example.."), API, JAVA, packages("dev.ralph.domain", "org.example.."))
        .check(domains);
  }

  @Test
  void storeSupport_dependsOnLog() {
    check(only(packages("dev.ralph.store.support.."), LOG, packages("dev.ralph.internal"), JAVA));
  }

  @Test
  void fileStore_usesOnlyStreamingJackson() {
    check(
        only(
            packages("dev.ralph.store.file.."),
            LOG,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.store.support..")));
  }

  @Test
  void chronicle_isUsedBySingleClass() {
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
            .doNotHaveFullyQualifiedName("dev.ralph.store.chronicle.AppendQueue")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(chronicle));
  }

  @Test
  void postgresStore_dependsOnLogAndDriver() {
    check(only(packages("dev.ralph.store.postgres.."), LOG, JAVA, packages("org.postgresql..")));
  }

  @Test
  void socketStore_dependsOnLog() {
    check(only(packages("dev.ralph.store.socket.."), LOG, JAVA));
  }

  @Test
  void tck_dependsOnLogAndTestLibraries() {
    check(only(packages("dev.ralph.tck.."), LOG, JAVA, TEST_LIBRARIES));
  }

  @Test
  void agents_dependOnCore() {
    check(only(packages("dev.ralph.agents.."), API, JAVA, JACKSON, packages("dev.ralph.core..")));
  }

  @Test
  void transfer_dependsOnNoStore() {
    check(
        only(
            packages("dev.ralph.transfer.."),
            LOG,
            JAVA,
            JACKSON_STREAMING,
            packages("dev.ralph.domain")));
  }

  @Test
  void mail_usesTheDomainKit() {
    check(
        only(
            packages("dev.ralph.mail.."),
            API,
            JAVA,
            packages("dev.ralph.core.internal.message", "dev.ralph.core.internal.text"),
            packages("dev.ralph.domain")));
  }

  /** Both modules may be used without the other and without AgentMail. */
  @Test
  void tx_dependsOnMail() {
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
  void agentMail_dependsOnMailAndNoStore() {
    check(
        only(
            packages("dev.ralph.agentmail.."),
            API,
            JAVA,
            packages("dev.ralph.core.internal.process", "dev.ralph.domain..", "dev.ralph.mail")));
  }

  @Test
  void yaml_isReadBySingleClass() {
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
  void openSpec_usesPublicApi() {
    check(
        only(
            packages("dev.ralph.openspec.."),
            API,
            JAVA,
            packages(
                "dev.ralph.domain",
                "dev.ralph.core",
                "dev.ralph.core.internal.branch",
                "dev.ralph.core.internal.git",
                "dev.ralph.core.internal.text")));
  }

  @Test
  void mcpServer_dependsOnApi() {
    check(only(packages("dev.ralph.mcp.."), API, JAVA));
  }

  @Test
  void webServer_dependsOnApi() {
    check(
        only(
            packages("dev.ralph.web.."),
            API,
            JAVA,
            packages(
                "com.sun.net.httpserver",
                "dev.ralph.mcp",
                "dev.ralph.core.internal.host",
                "dev.ralph.domain",
                "dev.ralph.core.internal.cost",
                "dev.ralph.core.internal.diff",
                "dev.ralph.core.internal.git",
                "dev.ralph.core.internal.json",
                "dev.ralph.core.internal.process",
                "dev.ralph.core.internal.text")));
  }

  @Test
  void testSupport_dependsOnApi() {
    check(only(packages("dev.ralph.test.."), API, JAVA));
  }

  @Test
  void coreInternals_areNotUsedUnlessShared() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(not(resideInAPackage("dev.ralph.core..")))
            .should()
            .dependOnClassesThat(
                resideInAPackage("dev.ralph.core..internal..")
                    .and(not(resideInAnyPackage(SHARED)))));
  }

  /** Only the file and Chronicle stores use the segmented log; other stores use the public API. */
  @Test
  void segments_areUsedByStoresOnly() {
    check(
        noClasses()
            .that(resideInAPackage("dev.ralph.."))
            .and(not(resideInAPackage("dev.ralph.store..")))
            .should()
            .dependOnClassesThat(resideInAPackage("dev.ralph.store.support.internal.segment")));
  }

  /**
   * Processes have a timeout, cleanup and error messages, except those of the TCK and of programs.
   */
  @Test
  void processes_areStartedBySinglePackage() {
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

  /**
   * A store folder may contain symbolic links of another user; only StoreFiles checks for links.
   */
  @Test
  void storeFiles_areOpenedBySingleClass() {
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
  void packages_haveNoCycles() {
    check(slices().assignedFrom(eachPackage()).should().beFreeOfCycles());
  }

  @Test
  void library_logsToSystemLogger() {
    check(library().should().dependOnClassesThat().resideInAPackage("java.util.logging.."));
  }

  @Test
  void library_printsNothing() {
    check(library().should(ACCESS_STANDARD_STREAMS));
  }

  @Test
  void library_doesNotControlTheProcess() {
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

  /** No two modules share a package, so this rule covers each module separately. */
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
