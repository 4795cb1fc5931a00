package dev.ralph.examples;

import static java.util.function.Predicate.not;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.Message;
import dev.ralph.Note;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Task;
import dev.ralph.log.Frame;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the jars as named modules on the module path. */
class ModulesIT {

  @TempDir Path temp;

  @Test
  void jlinkImage_runsALoop() throws Exception {
    Path image = temp.resolve("image");
    Path host = temp.resolve("host");

    assertThat(compile(host, section("module"), example(EmbeddedLoop.class)).output()).isEmpty();
    List<String> link = words(section("jlink"));
    assertThat(link.get(0)).isEqualTo("jlink");
    assertThat(
            run(
                link.get(0),
                link.subList(1, link.size()).stream()
                    .map(word -> word.replace("libs:host", libraries() + File.pathSeparator + host))
                    .map(word -> word.equals("image") ? image.toString() : word)
                    .toArray(String[]::new)))
        .isEqualTo(new Ended(0, ""));

    assertThat(
            output(image.resolve("bin/java"), "-m", "my.harness/" + EmbeddedLoop.class.getName()))
        .contains("doing Say hello", "doing Say goodbye")
        .endsWith("completed after 3 iterations\n");
  }

  @Test
  void internalPackage_isNotVisibleToHosts() throws Exception {
    Path use = temp.resolve("Use.java");
    Files.writeString(
        use, "package my; class Use { dev.ralph.core.internal.session.StoreRalph ralph; }");

    Ended ended =
        compile(temp.resolve("host"), "module my.harness { requires dev.ralph.core; }", use);

    assertThat(ended.status()).isNotZero();
    assertThat(ended.output())
        .contains("package dev.ralph.core.internal.session is not visible")
        .contains("does not export it");
  }

  @Test
  void publicPackages_areExported() {
    modules()
        .forEach(
            (name, module) ->
                assertThat(unqualifiedExports(module.descriptor()))
                    .as("exported by %s", name)
                    .isEqualTo(
                        name.equals("dev.ralph.cli") // a program
                            ? Set.of()
                            : module.descriptor().packages().stream()
                                .filter(not(ModulesIT::isInternal))
                                .collect(toSet())));
  }

  /** Qualified exports are internal packages, exported to the project's modules only. */
  @Test
  void qualifiedExports_areInternal() {
    modules()
        .forEach(
            (name, module) ->
                assertThat(module.descriptor().exports())
                    .as("exported by %s", name)
                    .filteredOn(ModuleDescriptor.Exports::isQualified)
                    .allMatch(exports -> isInternal(exports.source()))
                    .flatExtracting(ModuleDescriptor.Exports::targets)
                    .allMatch(target -> target.startsWith("dev.ralph.")));
  }

  /** Mappers of Jackson write the values of the API, whose classes are in internal packages. */
  @Test
  void packagesOfValues_areOpenToJackson() throws Exception {
    for (ModuleReference module : modules().values()) {
      Set<String> exported = unqualifiedExports(module.descriptor());
      Set<String> expected = new TreeSet<>();
      for (Class<?> type : classes(module)) {
        if (!exported.contains(type.getPackageName()) && isValue(type)) {
          expected.add(type.getPackageName());
        }
      }
      assertThat(module.descriptor().opens())
          .as("opened by %s", module.descriptor().name())
          .allMatch(
              opens ->
                  opens
                      .targets()
                      .equals(Set.of("com.fasterxml.jackson.databind", "tools.jackson.databind")))
          .extracting(ModuleDescriptor.Opens::source)
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  private static List<Class<?>> classes(ModuleReference module) throws Exception {
    List<Class<?>> classes = new ArrayList<>();
    try (ModuleReader reader = module.open();
        Stream<String> names = reader.list()) {
      for (String name : names.filter(each -> each.matches("dev/.+\\.class")).toList()) {
        String type = name.substring(0, name.length() - ".class".length()).replace('/', '.');
        classes.add(Class.forName(type, false, ModulesIT.class.getClassLoader()));
      }
    }
    return classes;
  }

  /**
   * Returns whether a class implements the method that an interface of the API declares as JSON.
   */
  private static boolean isValue(Class<?> type) {
    return Stream.of(
                Frame.class,
                Iteration.class,
                Message.class,
                Note.class,
                Question.class,
                Task.class,
                LoopEvent.class)
            .anyMatch(each -> each.isAssignableFrom(type))
        && Arrays.stream(type.getDeclaredMethods())
            .anyMatch(method -> method.getName().matches("json|jsonObject"));
  }

  @Test
  void services_areEqualOnBothPaths() {
    modules()
        .forEach(
            (name, module) ->
                assertThat(
                        module.descriptor().provides().stream()
                            .collect(
                                toMap(
                                    ModuleDescriptor.Provides::service,
                                    provides -> Set.copyOf(provides.providers()))))
                    .as("provided by %s", name)
                    .isEqualTo(services(module)));
  }

  @Test
  void jars_containVersionAndLicence() throws IOException {
    for (ModuleReference module : modules().values()) {
      try (JarFile jar = new JarFile(Path.of(module.location().orElseThrow()).toFile())) {
        assertThat(jar.getManifest().getMainAttributes().getValue("Implementation-Version"))
            .as(jar.getName())
            .isEqualTo(Ralph.version());
        assertThat(
                new String(
                    jar.getInputStream(jar.getEntry("META-INF/LICENSE")).readAllBytes(),
                    StandardCharsets.UTF_8))
            .as(jar.getName())
            .contains("Apache License");
      }
    }
  }

  private static Set<String> unqualifiedExports(ModuleDescriptor module) {
    return module.exports().stream()
        .filter(not(ModuleDescriptor.Exports::isQualified))
        .map(ModuleDescriptor.Exports::source)
        .collect(toSet());
  }

  private static boolean isInternal(String name) {
    return List.of(name.split("\\.")).contains("internal");
  }

  private static Map<String, Set<String>> services(ModuleReference module) {
    String folder = "META-INF/services/";
    Map<String, Set<String>> services = new TreeMap<>();
    try (ModuleReader reader = module.open();
        Stream<String> names = reader.list()) {
      for (String name : names.filter(each -> each.matches(folder + ".+")).toList()) {
        services.put(
            name.substring(folder.length()),
            new String(reader.open(name).orElseThrow().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .collect(toSet()));
      }
      return services;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the project's modules that have a descriptor, by module name. */
  private static Map<String, ModuleReference> modules() {
    Path[] jars =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(path -> path.getFileName().toString().matches("ralph-.*\\.jar"))
            .toArray(Path[]::new);
    Map<String, ModuleReference> modules =
        ModuleFinder.of(jars).findAll().stream()
            .filter(module -> !module.descriptor().isAutomatic())
            .collect(
                toMap(
                    module -> module.descriptor().name(),
                    module -> module,
                    (first, duplicate) -> first,
                    TreeMap::new));
    assertThat(modules.keySet())
        .as("the named modules on the class path")
        .containsExactly(
            "dev.ralph.agentmail",
            "dev.ralph.agents",
            "dev.ralph.api",
            "dev.ralph.cli",
            "dev.ralph.core",
            "dev.ralph.mail",
            "dev.ralph.mcp",
            "dev.ralph.openspec",
            "dev.ralph.store.file",
            "dev.ralph.store.postgres",
            "dev.ralph.store.socket",
            "dev.ralph.store.support",
            "dev.ralph.tck",
            "dev.ralph.test",
            "dev.ralph.transfer",
            "dev.ralph.tx",
            "dev.ralph.web");
    return modules;
  }

  /** Compiles a host's module from a descriptor and one class, with warnings as errors. */
  private Ended compile(Path output, String descriptor, Path source) throws IOException {
    Path moduleInfo = temp.resolve("module-info.java");
    Files.writeString(moduleInfo, descriptor);
    return run(
        "javac",
        "-Xlint:all",
        "-Werror",
        "-cp",
        "", // an empty class path; the default is the class path of this test
        "-p",
        libraries().toString(),
        "-d",
        output.toString(),
        moduleInfo.toString(),
        source.toString());
  }

  private static Ended run(String tool, String... arguments) {
    StringWriter printed = new StringWriter();
    PrintWriter writer = new PrintWriter(printed);
    int status = ToolProvider.findFirst(tool).orElseThrow().run(writer, writer, arguments);
    return new Ended(status, printed.toString());
  }

  private String output(Path program, String... arguments) throws Exception {
    Path output = temp.resolve("output");
    Process process =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(program.toString(), "-Djava.io.tmpdir=" + temp),
                        Stream.of(arguments))
                    .toList())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("exited in time").isTrue();
      String printed = Files.readString(output);
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  private static Path libraries() {
    return Path.of("target", "lib");
  }

  private static Path example(Class<?> example) {
    return Path.of("src/main/java", example.getName().replace('.', '/') + ".java");
  }

  /** Returns the code block of docs/embedding.md that starts with the given word. */
  private static String section(String beginning) throws IOException {
    String page = Files.readString(Path.of("../docs/embedding.md"));

    Matcher block = Pattern.compile("(?s)```\\w+\n(" + beginning + " .*?)```").matcher(page);
    assertThat(block.find()).as("block for %s in docs/embedding.md", beginning).isTrue();
    return block.group(1);
  }

  private static List<String> words(String command) {
    return List.of(command.replace("\\\n", " ").strip().split("\\s+"));
  }

  private record Ended(int status, String output) {}
}
