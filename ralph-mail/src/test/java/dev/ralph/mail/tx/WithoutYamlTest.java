package dev.ralph.mail.tx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In a program that has not asked for the library that reads YAML. */
class WithoutYamlTest {

  @Test
  void readingSaysWhatIsMissing() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.contains("snakeyaml")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader program =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> type = program.loadClass(TxReader.class.getName());
      Object reader = type.getConstructor(ZoneId.class).newInstance(ZoneOffset.UTC);

      assertThatThrownBy(
              () ->
                  type.getMethod("read", String.class, byte[].class)
                      .invoke(reader, "x.md", "---\n---\n".getBytes(UTF_8)))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .hasMessage(
              "TX's messages need a library that reads YAML: add org.snakeyaml:snakeyaml-engine to"
                  + " the program")
          .extracting("code")
          .hasToString("UNSUPPORTED");
      assertThat(program.loadClass("dev.ralph.mail.Mail").getClassLoader()).isSameAs(program);
    }
  }
}
