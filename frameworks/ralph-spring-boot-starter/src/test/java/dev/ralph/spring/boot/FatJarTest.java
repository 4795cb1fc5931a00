package dev.ralph.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Iteration;
import dev.ralph.Ralph;
import dev.ralph.Session;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.example.BootApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.loader.tools.Library;
import org.springframework.boot.loader.tools.LibraryScope;
import org.springframework.boot.loader.tools.Repackager;

/** Runs the example as a single jar, with store and engine in nested jars. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FatJarTest {

  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  @TempDir Path temp;

  @Test
  void exampleJar_runsAndStops() throws Exception {
    Process application = start(fatJar(BootApplication.class));
    try (BufferedReader said = application.inputReader()) {
      URI address = URI.create("http://localhost:" + port(said));
      post(address.resolve("/tasks"), "Write it");
      assertThat(post(address.resolve("/run"), "")).contains("completed");
      application.destroy();
      assertThat(application.waitFor(1, TimeUnit.MINUTES)).as("exits on SIGTERM").isTrue();
    } finally {
      application.destroyForcibly();
    }

    try (Ralph ralph = Ralph.openExisting(temp.resolve("store"))) {
      assertThat(ralph.session("work").tasks().list()).hasSize(1);
      assertThat(ralph.session("work").tasks().list().open()).isEmpty();
    }
  }

  @Test
  void restartedApplication_continuesItsTask() throws Exception {
    Path jar = fatJar(SlowApplication.class);
    Process first = start(jar);
    try (BufferedReader said = first.inputReader()) {
      URI address = URI.create("http://localhost:" + port(said));
      post(address.resolve("/tasks"), "Write it");
      Future<?> run =
          HttpClient.newHttpClient()
              .sendAsync(
                  request(address.resolve("/run"), ""), HttpResponse.BodyHandlers.ofString());
      while (Files.notExists(temp.resolve("begun-1"))) {
        assertThat(first.isAlive()).isTrue();
        Thread.sleep(10);
      }
      assertThat(run).isNotDone();
      first.destroy();
      assertThat(first.waitFor(1, TimeUnit.MINUTES)).as("exits on SIGTERM").isTrue();
    } finally {
      first.destroyForcibly();
    }
    try (Ralph ralph = Ralph.openExisting(temp.resolve("store"))) {
      Session work = ralph.session("work");
      assertThat(work.iterations().list())
          .singleElement()
          .returns(Iteration.Status.INTERRUPTED, Iteration::status);
      assertThat(work.tasks().list().open()).hasSize(1);
      assertThat(work.control().running()).as("loop still registered").isEmpty();
    }

    Files.createFile(temp.resolve("go-on"));
    Process second = start(jar);
    try (BufferedReader said = second.inputReader()) {
      URI address = URI.create("http://localhost:" + port(said));
      assertThat(post(address.resolve("/run"), "")).contains("completed");
      second.destroy();
      assertThat(second.waitFor(1, TimeUnit.MINUTES)).as("exits on SIGTERM").isTrue();
    } finally {
      second.destroyForcibly();
    }
    try (Ralph ralph = Ralph.openExisting(temp.resolve("store"))) {
      assertThat(ralph.session("work").iterations().list())
          .extracting(Iteration::status)
          .containsExactly(Iteration.Status.INTERRUPTED, Iteration.Status.SUCCESS);
      assertThat(ralph.session("work").tasks().list().open()).isEmpty();
    }
  }

  private Process start(Path jar) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-jar",
            jar.toString(),
            "--server.port=0",
            "--ralph.store=" + temp.resolve("store"),
            "--ralph.loops.directory=" + temp)
        .redirectErrorStream(true)
        .start();
  }

  private static String port(BufferedReader said) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        return port.group(1);
      }
      all.append(line).append('\n');
    }
    throw new AssertionError(all);
  }

  private static String post(URI address, String body) throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(request(address, body), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  private static HttpRequest request(URI address, String body) {
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "text/plain")
        .header("Accept", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private Path fatJar(Class<?> main) throws IOException {
    Path classes = Path.of("target/test-classes").toAbsolutePath();
    List<Library> libraries = new ArrayList<>();
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path library = Path.of(place);
      if (Files.isRegularFile(library)) {
        libraries.add(new Library(library.toFile(), LibraryScope.RUNTIME));
      } else if (Files.isDirectory(library) && !library.equals(classes)) {
        Path jar = temp.resolve("library-" + libraries.size() + ".jar");
        libraries.add(new Library(jar(library, jar).toFile(), LibraryScope.RUNTIME));
      }
    }
    Path application = jar(classes, temp.resolve("application.jar"));
    Path fat = temp.resolve("fat.jar");
    Repackager repackager = new Repackager(application.toFile());
    repackager.setMainClass(main.getName());
    repackager.repackage(
        fat.toFile(),
        callback -> {
          for (Library library : libraries) {
            callback.library(library);
          }
        });
    return fat;
  }

  private static Path jar(Path folder, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        String name = folder.relativize(each).toString();
        out.putNextEntry(new JarEntry(name.replace(File.separatorChar, '/')));
        Files.copy(each, out);
      }
    }
    return jar;
  }
}
