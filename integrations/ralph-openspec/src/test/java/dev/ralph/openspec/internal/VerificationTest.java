package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VerificationTest {

  @TempDir Path project;

  private void file(String name, String text) throws IOException {
    Path file = project.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  /** The files as alternating names and texts, then the expected commands. */
  static Stream<Arguments> projects() {
    String scripts = "{\"scripts\":{\"test\":\"x\",\"lint\":\"y\",\"start\":\"z\"}}";
    return Stream.of(
        Arguments.of(List.of(), List.of(), List.of()),
        Arguments.of(
            List.of("pom.xml", ""), List.of("mvn -q -B test-compile"), List.of("mvn -q -B test")),
        Arguments.of(
            List.of("pom.xml", "", "mvnw", ""),
            List.of("./mvnw -q -B test-compile"),
            List.of("./mvnw -q -B test")),
        Arguments.of(
            List.of("build.gradle.kts", "", "gradlew", ""),
            List.of("./gradlew -q testClasses"),
            List.of("./gradlew -q test")),
        Arguments.of(
            List.of("package.json", scripts), List.of("npm run lint"), List.of("npm run test")),
        Arguments.of(
            List.of("package.json", scripts, "pnpm-lock.yaml", ""),
            List.of("pnpm run lint"),
            List.of("pnpm run test")),
        Arguments.of(
            List.of("package.json", scripts, "yarn.lock", ""),
            List.of("yarn run lint"),
            List.of("yarn run test")),
        Arguments.of(
            List.of("package.json", scripts, "bun.lock", ""),
            List.of("bun run lint"),
            List.of("bun run test")),
        Arguments.of(List.of("package.json", "{"), List.of(), List.of("npm run test")),
        Arguments.of(List.of("package.json", "{\"scripts\":3}"), List.of(), List.of()),
        Arguments.of(
            List.of("Cargo.toml", ""), List.of("cargo check --all-targets"), List.of("cargo test")),
        Arguments.of(
            List.of("pyproject.toml", "[tool.ruff.lint]\n[tool.mypy]\n"),
            List.of("ruff check .", "mypy ."),
            List.of("python -m pytest")),
        Arguments.of(List.of("go.mod", ""), List.of("go vet ./..."), List.of("go test ./...")),
        Arguments.of(
            List.of("Makefile", "lint:\n\tx\ntest := y\ncheck: lint\n"),
            List.of("make lint"),
            List.of("make check")),
        Arguments.of(
            List.of("go.mod", "", "Makefile", "test:\n"),
            List.of("go vet ./..."),
            List.of("go test ./...", "make test")));
  }

  @ParameterizedTest
  @MethodSource("projects")
  void buildFiles_determineChecksAndTests(
      List<String> files, List<String> checks, List<String> tests) throws IOException {
    for (int i = 0; i < files.size(); i += 2) {
      file(files.get(i), files.get(i + 1));
    }
    assertThat(Verification.of(project)).isEqualTo(new Verification(checks, tests));
  }

  @Test
  void verifyFile_overridesBuildFiles() throws IOException {
    file("pom.xml", "");
    file(Verification.FILE, "# ours\ncheck: make fast\r\n\nTest : a: b\ntest: c\n");
    assertThat(Verification.of(project).all()).containsExactly("make fast", "a: b", "c");

    file(Verification.FILE, "check: x\nrun: y\n");
    assertThatThrownBy(() -> Verification.of(project))
        .hasMessageContaining("openspec/verify:2: ")
        .hasMessageContaining("run: y");
  }
}
