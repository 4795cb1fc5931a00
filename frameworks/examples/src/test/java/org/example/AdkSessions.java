package org.example;

import com.google.adk.events.Event;
import com.google.adk.sessions.BaseSessionService;
import com.google.adk.sessions.GetSessionConfig;
import com.google.adk.sessions.ListEventsResponse;
import com.google.adk.sessions.ListSessionsResponse;
import com.google.adk.sessions.Session;
import dev.ralph.Ralph;
import dev.ralph.core.ListLog;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentMap;

/** Stores sessions of Google's ADK. Each session is a list: its creation, then its events. */
public record AdkSessions(ListLog lists) implements BaseSessionService {

  public AdkSessions(Ralph ralph) {
    this(ListLog.of(ralph, "adk"));
  }

  @Override
  @SuppressWarnings("deprecation") // the other overloads call this method
  public Single<Session> createSession(
      String app, String user, ConcurrentMap<String, Object> state, String id) {
    Session session =
        Session.builder(id == null ? UUID.randomUUID().toString() : id)
            .appName(app)
            .userId(user)
            .state(state == null ? Map.of() : state)
            .build();
    lists.append(list(app, user, session.id()), List.of(session.toJson()));
    return Single.just(session);
  }

  @Override
  public Single<Event> appendEvent(Session session, Event event) {
    if (!event.partial().orElse(false)) {
      String list = list(session.appName(), session.userId(), session.id());
      lists.append(list, List.of(event.toJson()));
    }
    return BaseSessionService.super.appendEvent(session, event);
  }

  @Override
  public Maybe<Session> getSession(
      String app, String user, String id, Optional<GetSessionConfig> config) {
    List<String> texts = lists.get(list(app, user, id));
    if (texts.isEmpty()) {
      return Maybe.empty();
    }
    Session session = Session.fromJson(texts.get(0));
    for (String text : texts.subList(1, texts.size())) {
      BaseSessionService.super
          .appendEvent(session, Event.fromJson(text))
          .ignoreElement()
          .blockingAwait();
    }
    return Maybe.just(session);
  }

  @Override
  public Single<ListSessionsResponse> listSessions(String app, String user) {
    List<String> ids = lists.ids(list(app, user, ""), "", Integer.MAX_VALUE);
    List<Session> all = ids.stream().map(id -> Session.fromJson(lists.get(id).get(0))).toList();
    return Single.just(ListSessionsResponse.builder().sessions(all).build());
  }

  @Override
  public Single<ListEventsResponse> listEvents(String app, String user, String id) {
    return getSession(app, user, id, Optional.empty())
        .map(each -> ListEventsResponse.builder().events(each.events()).build())
        .toSingle();
  }

  @Override
  public Completable deleteSession(String app, String user, String id) {
    lists.delete(list(app, user, id));
    return Completable.complete();
  }

  private static String list(String app, String user, String id) {
    return app + '\t' + user + '\t' + id;
  }
}
