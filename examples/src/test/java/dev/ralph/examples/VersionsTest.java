package dev.ralph.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Checks the versions and artifacts of the BOM against the build. */
class VersionsTest {

  private static final Set<String> UNPUBLISHED =
      Set.of("ralph-bom", "examples", "benchmarks", "chaos");

  @Test
  void bom_namesEachPublishedModule() throws Exception {
    Set<String> modules = new TreeSet<>();
    for (String module : texts("pom.xml", "/project/modules/module")) {
      modules.add(module.substring(module.lastIndexOf('/') + 1));
    }
    modules.addAll(adapters());
    modules.removeAll(UNPUBLISHED);

    assertThat(
            texts(
                "ralph-bom/pom.xml",
                "/project/dependencyManagement//dependency[groupId='dev.ralph']/artifactId"))
        .containsExactlyInAnyOrderElementsOf(modules);
  }

  @Test
  void bom_usesTheVersionsOfTheBuild() throws Exception {
    assertThat(texts("ralph-bom/pom.xml", "/project/version")).containsExactly(own());
    for (String part : List.of("jackson-core", "jackson-databind")) {
      assertThat(texts("ralph-bom/pom.xml", "//dependency[artifactId='" + part + "']/version"))
          .containsExactly(jackson());
    }
    // jackson-annotations has versions without a patch number
    assertThat(texts("ralph-bom/pom.xml", "//dependency[artifactId='jackson-annotations']/version"))
        .containsExactly(jackson().replaceAll("\\.\\d+$", ""));
  }

  /** The host chooses the version of further Jackson modules; some exist only in some versions. */
  @Test
  void bom_listsOnlyNeededJacksonModules() throws Exception {
    assertThat(
            texts(
                "ralph-bom/pom.xml",
                "//dependency[starts-with(groupId,'com.fasterxml')]/artifactId"))
        .containsExactly("jackson-annotations", "jackson-core", "jackson-databind");
  }

  /** The host brings the framework in its own version. */
  @Test
  void adapters_bringOnlyRalphModules() throws Exception {
    String all = "/project/dependencies/dependency[not(type)]"; // a type has only test-jars

    assertThat(texts("frameworks/pom.xml", all + "[not(scope)]/artifactId"))
        .containsExactly("ralph-api", "ralph-core");
    for (String adapter : adapters()) {
      String pom = "frameworks/" + adapter + "/pom.xml";
      List<String> brought = new ArrayList<>(texts(pom, all + "/artifactId"));
      brought.removeAll(texts(pom, all + "[scope='provided' or scope='test']/artifactId"));
      assertThat(brought)
          .as(adapter)
          .isEqualTo(
              switch (adapter) {
                case "ralph-spring-boot-starter" ->
                    List.of("ralph-store-file", "ralph-micrometer", "ralph-servlet");
                case "ralph-servlet" -> List.of("ralph-web");
                case "ralph-micrometer" -> List.of("ralph-store-socket");
                default -> List.of();
              });
    }
  }

  private static List<String> adapters() throws Exception {
    return texts("frameworks/pom.xml", "/project/modules/module");
  }

  static String own() throws Exception {
    return texts("pom.xml", "/project/version").get(0);
  }

  static String jackson() throws Exception {
    return texts("pom.xml", "/project/properties/jackson.version").get(0);
  }

  private static List<String> texts(String pom, String path) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of("..").resolve(pom).toFile());
    NodeList nodes =
        (NodeList)
            XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
    assertThat(nodes.getLength()).as("nodes for %s in %s", path, pom).isPositive();
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> nodes.item(i).getTextContent().strip())
        .toList();
  }
}
