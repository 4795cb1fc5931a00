package dev.ralph.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetaTest {

  private static Object value(String json) {
    return Meta.parse("{\"a\":0,\"v\":" + json + ",\"z\":0}").value("v");
  }

  @Test
  void value_matchesJson() {
    assertThat(value("\"x\\n\\u00e9\"")).isEqualTo("x\né");
    assertThat(value("true")).isEqualTo(true);
    assertThat(value("false")).isEqualTo(false);
    assertThat(value("null")).isNull();
    assertThat(value("-7")).isEqualTo(-7L);
    assertThat(value("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(value("9223372036854775808")).isEqualTo(new BigDecimal("9223372036854775808"));
    assertThat(value("1.50")).isEqualTo(new BigDecimal("1.50"));
    assertThat(value(" { \"b\" : [ ] } ")).isEqualTo(Meta.of("b", List.of()));
    assertThat(value("[1, \"two\", [true], {\"b\":3}, null]"))
        .isEqualTo(Arrays.asList(1L, "two", List.of(true), Meta.of("b", 3), null));
    assertThat(Meta.empty().value("v")).isNull();
  }

  @Test
  void escape_requiresAsciiHexDigits() {
    assertThatThrownBy(() -> value("\"\\u\uff11\uff12\uff13\uff14\""))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("\\u needs four hexadecimal digits");
  }

  @Test
  void objects_areSelectedFromList() {
    Meta meta = Meta.parse("{\"v\":[{\"a\":1},7,null,{\"a\":2}],\"w\":{\"a\":3}}");
    assertThat(meta.objects("v")).containsExactly(Meta.of("a", 1), Meta.of("a", 2));
    assertThat(meta.objects("w")).isEmpty();
    assertThat(meta.objects("x")).isEmpty();
  }

  @Test
  void hugeNumber_becomesDouble() {
    assertThat(value("1e99999999999")).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(value("1".repeat(5_000))).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(value("0." + "0".repeat(5_000) + "1")).isEqualTo(0.0);
  }

  @Test
  void without_removesOnlyGivenMember() {
    Meta meta = Meta.parse("{\"a\":1.50,\"b\":[null],\"c\":\"x\"}");
    assertThat(meta.without("b").json()).isEqualTo("{\"a\":1.50,\"c\":\"x\"}");
    assertThat(meta.without("a").json()).isEqualTo("{\"b\":[null],\"c\":\"x\"}");
    assertThat(meta.without("a").without("b").without("c")).isEqualTo(Meta.empty());
    assertThat(meta.without("z")).isEqualTo(meta);
  }

  @Test
  void with_replacesValueInPlace() {
    Meta meta = Meta.parse("{\"a\":1,\"\\u0062\":[2],\"c\":{\"b\":3}}");
    Meta first = meta.with("a", "x");
    assertThat(first.json()).isEqualTo("{\"a\":\"x\",\"\\u0062\":[2],\"c\":{\"b\":3}}");
    assertThat(first.keys()).containsExactly("a", "b", "c");
    assertThat(meta.with("b", true).json()).isEqualTo("{\"a\":1,\"\\u0062\":true,\"c\":{\"b\":3}}");
    assertThat(meta.with("c", 4).with("d", 5).with("c", 6).json())
        .isEqualTo("{\"a\":1,\"\\u0062\":[2],\"c\":6,\"d\":5}");
    assertThat(meta.with("a", null)).isEqualTo(meta);
  }

  @ParameterizedTest
  @CsvSource({
    "7, 7",
    "-7, -7",
    "1.0, 1",
    "-0.0, 0",
    "2e3, 2000",
    "1.5E+1, 15",
    "120e-1, 12",
    "9223372036854775807.0, 9223372036854775807",
    "0e99999999, 0",
    "1.5,",
    "1e-1,",
    "1e99,",
    "1e99999999999,",
    "1e999999999,",
    "1e-999999999,",
    "9223372036854775808,",
    "9223372036854775808.0,",
    "true,",
    "'\"1\"',"
  })
  void integer_matchesWholeNumbersInRange(String json, Long expected) {
    OptionalLong read = Meta.parse("{\"v\":" + json + "}").integer("v");
    assertThat(read).isEqualTo(expected == null ? OptionalLong.empty() : OptionalLong.of(expected));
  }

  @Test
  void integer_skipsOverlongFractions() {
    Meta meta = Meta.parse("{\"v\":1." + "0".repeat(100_000) + "}");
    assertThat(meta.integer("v")).isEmpty();
  }

  @Test
  void overlongNumber_isNoDecimal() {
    assertThat(Meta.parse("{\"v\":" + "1".repeat(1_000) + "}").number("v")).isNotNull();
    assertThat(Meta.parse("{\"v\":" + "1".repeat(1_001) + "}").number("v")).isNull();
    assertThat(Meta.parse("{\"v\":0." + "1".repeat(5_000_000) + "}").number("v")).isNull();
  }

  @Test
  void without_removesDuplicates() {
    Meta meta = Meta.parse("{\"a\":1,\"b\":2,\"\\u0061\":3,\"a\":4}");
    assertThat(meta.without("a").json()).isEqualTo("{\"b\":2}");
    assertThat(Meta.parse("{\"a\":1,\"a\":2}").without("a")).isEqualTo(Meta.empty());
  }

  @Test
  void textOfEscape_isNoKey() {
    for (String escape : List.of("\\n", "\\u0061", "\\\\", "a\\tb")) {
      Meta meta = Meta.parse("{\"" + escape + "\":1}");
      assertThat(meta.has(escape)).as(escape).isFalse();
      assertThat(meta.with(escape, 2).value(escape)).as(escape).isEqualTo(2L);
      assertThat(meta.with(escape, 2).keys()).as(escape).hasSize(2).contains(escape);
    }
  }

  @Test
  void deepList_isRefused() {
    Object list = 1L;
    for (int level = 0; level < 99; level++) {
      list = List.of(list);
    }
    Meta meta = Meta.of("v", list);
    assertThat(Meta.parse(meta.json())).isEqualTo(meta);
    assertThat(Meta.of("v", meta).object("v")).as("to render the object").isEqualTo(meta);
    List<Object> deeper = List.of(List.of(list));
    assertThatThrownBy(() -> Meta.of("v", deeper))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("more than 100 levels");
    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    assertThatThrownBy(() -> Meta.of("v", itself)).hasMessageContaining("more than 100 levels");
  }

  @Test
  void map_hasAllMembersInOrder() {
    Meta meta = Meta.parse("{\"b\":null,\"a\":[1,null],\"\\u0062\":2,\"c\":{\"d\":1.50}}");
    Map<String, Object> map = meta.asMap();
    assertThat(map).containsOnlyKeys("b", "a", "c");
    assertThat(map.keySet()).containsExactly("b", "a", "c");
    assertThat(map.get("b")).isNull();
    assertThat(map.get("a")).isEqualTo(Arrays.asList(1L, null));
    assertThat(map.get("c")).isEqualTo(Meta.of("d", new BigDecimal("1.50")));
    assertThatThrownBy(map::clear).isInstanceOf(UnsupportedOperationException.class);
    assertThat(Meta.empty().asMap()).isEmpty();
  }

  @Test
  void list_keepsNullElements() {
    List<Object> list = Arrays.asList(1L, null, Arrays.asList("x", null));
    Meta meta = Meta.of("v", list);
    assertThat(meta.json()).isEqualTo("{\"v\":[1,null,[\"x\",null]]}");
    assertThat(meta.value("v")).isEqualTo(list);
  }
}
