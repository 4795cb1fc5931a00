package dev.ralph.web.internal.page;

import dev.ralph.web.internal.http.Router;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Joins JavaScript modules to one file, because a browser starts faster with a single request. Each
 * module becomes a function that returns its exports. Imports and exports must begin a line.
 */
final class ScriptBundle {

  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (\\{[^}]+\\}) from '\\./(\\w+)\\.js';$");
  private static final Pattern EXPORT =
      Pattern.compile("(?m)^export ((?:async )?(?:const|class|function) ([\\w$]+))");
  private static final Pattern OTHER = Pattern.compile("(?m)^(import|export)\\b.*");

  private final StringBuilder text = new StringBuilder();

  /**
   * Appends a module. Imported modules must be appended first.
   *
   * @param beside a class in the package of the resource
   * @param name the name of the resource without {@code .js}
   */
  ScriptBundle add(Class<?> beside, String name) {
    String module = new String(Router.resource(beside, name + ".js"), StandardCharsets.UTF_8);
    Set<String> exports = new LinkedHashSet<>();
    EXPORT.matcher(module).results().forEach(each -> exports.add(each.group(2)));
    String body = IMPORT.matcher(module).replaceAll("const $1 = module_$2;");
    body = EXPORT.matcher(body).replaceAll("$1");
    OTHER.matcher(body).results().map(MatchResult::group).forEach(ScriptBundle::refuse);
    text.append("const module_").append(name).append(" = (() => {\n").append(body);
    text.append("return {").append(String.join(", ", exports)).append("};\n})();\n");
    return this;
  }

  private static void refuse(String line) {
    throw new IllegalArgumentException("unsupported form of import or export: " + line);
  }

  /** Returns the text of the file. */
  byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
