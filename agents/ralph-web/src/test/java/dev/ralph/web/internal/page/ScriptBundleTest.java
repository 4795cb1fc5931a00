package dev.ralph.web.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.web.internal.http.Router;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScriptBundleTest {

  @Test
  void modules_becomeFunctions() {
    String bundle =
        new String(
            new ScriptBundle().add(Page.class, "dom").add(Page.class, "figures").bytes(),
            StandardCharsets.UTF_8);

    assertThat(bundle)
        .contains("const module_dom = (() => {")
        .contains(
            "return {$, clean, printed, firstLine, h, put, fill, sync, line, quiet, button, plural,"
                + " bar, chip};")
        .contains("const {h, quiet} = module_dom;")
        .doesNotContain("\nimport ")
        .doesNotContain("\nexport ");
  }

  @Test
  void everyModule_hasLessThan300Lines() {
    for (String module : Page.MODULES) {
      byte[] text = Router.resource(Page.class, module + ".js");
      assertThat(new String(text, StandardCharsets.UTF_8).lines()).as(module).hasSizeLessThan(300);
    }
  }

  @Test
  void missingModule_isRefused() {
    assertThatThrownBy(() -> new ScriptBundle().add(Page.class, "other"))
        .hasMessageContaining("other.js is missing");
  }
}
