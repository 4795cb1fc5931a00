package dev.ralph.cli.session;

import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.host.OfferedSession;
import dev.ralph.core.internal.host.SessionOffer;
import dev.ralph.log.Meta;
import java.util.ArrayList;
import java.util.List;

/** Renders offers of sessions to hosts. */
public final class OfferForm {

  /** The number of recent host remarks shown to people. */
  private static final int SHOWN = 3;

  private OfferForm() {}

  /** Returns the requirements of an offer as a JSON object. */
  public static Meta json(SessionOffer offer) {
    return Meta.empty()
        .with("repository", offer.repository())
        .with("branch", offer.branch())
        .with("commit", offer.commit())
        .with("folder", offer.folder())
        .with("labels", offer.labels().isEmpty() ? null : List.copyOf(offer.labels()))
        .with("spec", offer.spec());
  }

  static Meta json(OfferedSession offered) {
    List<Meta> remarks = new ArrayList<>();
    for (OfferedSession.Remark remark : offered.remarks()) {
      remarks.add(
          Meta.of("time", Times.format(remark.time()))
              .with("host", remark.host())
              .with("text", remark.text()));
    }
    return json(offered.offer())
        .with("since", Times.format(offered.since()))
        .with("open", offered.isOpen())
        .with("remarks", remarks.isEmpty() ? null : remarks);
  }

  /** Returns lines about an offer, each after a line break. */
  static String text(OfferedSession offered) {
    StringBuilder text = new StringBuilder("\n  hosts       ");
    text.append(offered.isOpen() ? "offered since " : "offered at ")
        .append(Times.local(offered.since()))
        .append(", ")
        .append(SafeText.line(offered.offer().toString()));
    List<OfferedSession.Remark> all = offered.remarks();
    for (OfferedSession.Remark remark : all.subList(Math.max(0, all.size() - SHOWN), all.size())) {
      text.append("\n              ")
          .append(Times.local(remark.time()))
          .append(' ')
          .append(SafeText.line(remark.host() + " " + remark.text()));
    }
    return text.toString();
  }
}
