package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Resolves the dependencies of hosts that import the BOM first, with Spring Boot, Spring AI and
 * LangChain4j. Maven uses its local repository or the network.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class BomIT {

  private static final Path BOM = Path.of("../ralph-bom").toAbsolutePath().normalize();
  private static final String RESOLVE =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:resolve";

  @TempDir Path folder;

  @Test
  void bom_resolvesJacksonOfFrameworks() throws Exception {
    assumeTrue(isOnPath("mvn"), "mvn is not on the PATH");
    host(
        "spring",
        imported("org.springframework.ai", "spring-ai-bom", "1.1.2")
            + imported("org.springframework.boot", "spring-boot-dependencies", "3.5.10"),
        dependency("org.springframework.boot", "spring-boot-starter-web", "")
            + dependency("org.springframework.ai", "spring-ai-starter-model-openai", ""));
    host(
        "langchain",
        "",
        dependency("dev.langchain4j", "langchain4j-open-ai", "<version>1.19.0</version>"));
    // Maven finds the BOM without installation only as a module of the same build.
    Files.writeString(
        folder.resolve("pom.xml"),
        project("<artifactId>hosts</artifactId><packaging>pom</packaging>")
            + "<modules><module>"
            + folder.toRealPath().relativize(BOM.toRealPath())
            + "</module><module>spring</module><module>langchain</module></modules></project>");

    Process maven =
        new ProcessBuilder(
                "mvn", "-B", "-q", "-ntp", "-pl", "spring,langchain", RESOLVE, "-DoutputFile=list")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said").toFile())
            .start();
    assertThat(maven.waitFor()).as(Files.readString(folder.resolve("said"))).isZero();

    for (String host : List.of("spring", "langchain")) {
      assertThat(Files.readString(folder.resolve(host).resolve("list")))
          .contains("jackson-core:jar:" + VersionsTest.jackson())
          .contains("jackson-databind:jar:" + VersionsTest.jackson());
    }
  }

  private void host(String name, String imports, String dependencies) throws Exception {
    Files.writeString(
        Files.createDirectory(folder.resolve(name)).resolve("pom.xml"),
        project("<artifactId>" + name + "</artifactId>")
            + "<dependencyManagement><dependencies>"
            + imported("dev.ralph", "ralph-bom", VersionsTest.own())
            + imports
            + "</dependencies></dependencyManagement><dependencies>"
            + dependency("com.fasterxml.jackson.core", "jackson-databind", "")
            + dependencies
            + "</dependencies></project>");
  }

  private static String project(String more) {
    return "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>"
        + "<groupId>host</groupId><version>1</version>"
        + more;
  }

  private static String imported(String group, String artifact, String version) {
    return dependency(
        group, artifact, "<version>" + version + "</version><type>pom</type><scope>import</scope>");
  }

  private static String dependency(String group, String artifact, String more) {
    return "<dependency><groupId>"
        + group
        + "</groupId><artifactId>"
        + artifact
        + "</artifactId>"
        + more
        + "</dependency>";
  }

  private static boolean isOnPath(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }
}
