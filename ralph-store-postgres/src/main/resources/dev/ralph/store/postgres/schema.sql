-- One log. A position is 1024 times the number of a batch, plus the frame's place in it.
create table ${schema}.log (
  version int primary key,
  store_id text not null,
  -- No snapshot up to here is kept: it may hold what was erased since.
  erased_until bigint not null default 0,
  made timestamptz not null default now()
);

-- The row of a scope is the lock of its appends. What ids and times go on from stands in it.
create table ${schema}.scope (
  id int generated always as identity unique,
  name text collate "C" primary key,
  last_prefix bigint not null,
  last_time bigint not null
) with (fillfactor = 50);

-- The newest frame of each topic, which conditions ask for.
create table ${schema}.topic (
  name text collate "C" primary key,
  last bigint not null
) with (fillfactor = 50);

create table ${schema}.batch (
  id text collate "C" primary key,
  number bigint not null
);

create table ${schema}.frame (
  position bigint primary key,
  scope int not null,
  topic text collate "C" not null,
  id text collate "C" not null unique,
  -- In milliseconds since 1970.
  time bigint not null,
  meta text not null,
  -- UTF-8; not text, which can't hold U+0000.
  content bytea not null,
  erased boolean not null default false
);

create index frame_scope on ${schema}.frame (scope, position);

create table ${schema}.snapshot (
  key text collate "C" primary key,
  position bigint not null,
  frame_id text not null,
  state bytea not null
);

create sequence ${schema}.number;

-- Appends batches, those of one scope beside each other and scopes in order, each all or not at all.
-- Every append holds the log's lock, shared, from before it draws a number until its frames can be
-- seen. What is given: counts, the frames of each batch; imports, whether some bring their ids;
-- clock, the time of a clock that is not the server's; bounds, the ranges of topics that each
-- batch's condition asks for; sinces, null without a condition; ids, of a new frame the last 15
-- digits, which rise within a batch. Outcomes: a appended, k known before, c conflict, e nothing new.
create function ${schema}.append(
  scopes text[], batches text[], counts int[], imports boolean[], clock bigint,
  bounds int[], lows text[], highs text[], sinces bigint[],
  topics text[], ids text[], times bigint[], metas text[], contents bytea[])
returns table (outcome text, number bigint, prefix text, stamp bigint, held text[])
language plpgsql as $$
declare
  low int := 1;
  high int;
  bound int := 1;
  at_scope text;
  scope_id int;
  newest_prefix bigint;
  newest_time bigint;
  rest bigint;
begin
  perform pg_advisory_xact_lock_shared(1380011084, '${schema}.log'::regclass::oid::int);
  for i in 1 .. cardinality(batches) loop
    high := low + counts[i] - 1;
    number := null;
    prefix := null;
    stamp := null;
    held := null;
    if at_scope is distinct from scopes[i] then
      loop
        select s.id, s.last_prefix, s.last_time into scope_id, newest_prefix, newest_time
          from ${schema}.scope s where s.name = scopes[i] for no key update;
        exit when found;
        insert into ${schema}.scope (name, last_prefix, last_time) values (scopes[i], 0, 0)
          on conflict do nothing;
      end loop;
      at_scope := scopes[i];
    end if;

    outcome := 'a';
    select b.number into number from ${schema}.batch b where b.id = batches[i];
    if found then
      outcome := 'k';
    elsif sinces[i] is not null and exists (
        select from unnest(lows[bound : bound + bounds[i] - 1], highs[bound : bound + bounds[i] - 1])
            as r (low, high)
          join ${schema}.topic t on t.name between r.low and r.high
          where t.last > sinces[i]) then
      outcome := 'c';
    elsif imports[i] then
      select array_agg(f.id) into held from ${schema}.frame f where f.id = any (ids[low : high]);
      if cardinality(held) = counts[i] then
        outcome := 'e';
        number := (select max(f.position) from ${schema}.frame f) >> 10;
      end if;
    end if;

    if outcome = 'a' then
      if clock is null then
        newest_time := greatest(
          newest_time, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
      end if;
      stamp := coalesce(clock, newest_time);
      -- The first ten digits of an id of that millisecond: it times 2^80, divided by 36^15.
      newest_prefix := greatest(
        newest_prefix + 1,
        div(stamp * 1208925819614629174706176::numeric + 221073919720733357899775,
          221073919720733357899776)::bigint);
      rest := newest_prefix;
      prefix := '';
      for digit in 1 .. 10 loop
        prefix := substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::int + 1, 1) || prefix;
        rest := rest / 36;
      end loop;
      number := nextval('${schema}.number');
      insert into ${schema}.frame (position, scope, topic, id, time, meta, content)
        select number * 1024 + f.part - 1, scope_id, f.topic,
            case when f.time is null then prefix || f.id else f.id end,
            coalesce(f.time, stamp), f.meta, f.content
          from unnest(topics[low : high], ids[low : high], times[low : high], metas[low : high],
              contents[low : high]) with ordinality as f (topic, id, time, meta, content, part)
          where held is null or f.id <> all (held);
      insert into ${schema}.topic as t (name, last)
        select f.topic, number * 1024 + max(f.part) - 1
          from unnest(topics[low : high], ids[low : high]) with ordinality as f (topic, id, part)
          where held is null or f.id <> all (held)
          group by f.topic
        on conflict (name) do update set last = excluded.last;
      insert into ${schema}.batch (id, number) values (batches[i], number);
      update ${schema}.scope s set last_prefix = newest_prefix, last_time = newest_time
        where s.name = at_scope;
    end if;
    return next;
    low := high + 1;
    bound := bound + bounds[i];
  end loop;
end
$$;

-- Waits until every append that has drawn a number has ended. Returns the last number drawn: frames
-- of lower ones that can't be seen now will never be.
create function ${schema}.settle() returns bigint language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1380011084, '${schema}.log'::regclass::oid::int);
  return (select case when is_called then last_value else 0 end from ${schema}.number);
end
$$;
