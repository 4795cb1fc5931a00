-- The log. A position is 1024 times the number of the batch, plus the frame's index in the batch.
create table ${schema}.log (
  version int primary key,
  store_id text not null,
  -- A snapshot up to this position may contain erased frames. Such a snapshot is not saved.
  erased_until bigint not null default 0,
  made timestamptz not null default now()
);

-- The lock on a scope's row serialises the appends to the scope. The row holds its last id and time.
create table ${schema}.scope (
  id int generated always as identity unique,
  name text collate "C" primary key,
  last_prefix bigint not null,
  last_time bigint not null
) with (fillfactor = 50);

-- The newest frame of each topic, which conditions of appends are checked against.
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
  -- UTF-8. The type text can't store U+0000.
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

-- The first ten digits of an id.
create function ${schema}.digits(n bigint) returns text language sql immutable as $$
  select
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 101559956668416 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 2821109907456 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 78364164096 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 2176782336 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 60466176 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 1679616 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 46656 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 1296 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 36 % 36)::int + 1, 1) ||
    substr('0123456789abcdefghijklmnopqrstuvwxyz', (n / 1 % 36)::int + 1, 1)
$$;

-- Appends batches, each completely or not at all. Batches must be sorted by scope.
-- Each append holds the log's shared lock from before it draws a number until its commit.
-- Parameters:
--   counts   number of frames of each batch
--   imports  whether at least one frame of the batch has an id
--   clock    time of frames without a time; null for the server's time
--   bounds   number of topic ranges (lows, highs) of each batch's condition
--   sinces   position of each batch's condition; null for none
--   ids      id of an imported frame; last 15 digits of a new frame's id, increasing in a batch
-- Outcomes: a appended, k known before, c conflict, e no new frame.
--
-- The function decides the batches one by one. It writes consecutive batches of a scope together,
-- unless the decision on a batch depends on an earlier one.
create function ${schema}.append(
  scopes text[], batches text[], counts int[], imports boolean[], clock bigint,
  bounds int[], lows text[], highs text[], sinces bigint[],
  topics text[], ids text[], times bigint[], metas text[], contents bytea[])
returns table (outcome text, number bigint, prefix text, stamp bigint, held text[])
language plpgsql as $$
declare
  low int := 1;
  bound int := 1;
  at_scope text;
  scope_id int;
  newest_prefix bigint;
  newest_time bigint;
  -- The pending batches: the first batch, the first frame, and the batch of each frame (0 if the
  -- frame is not appended).
  first int := 1;
  first_low int := 1;
  owners int[] := '{}';
  -- Indexed by batch.
  numbers bigint[] := '{}';
  prefixes text[] := '{}';
  stamps bigint[] := '{}';
  begins int[] := '{}';
begin
  perform pg_advisory_xact_lock_shared(1380011084, '${schema}.log'::regclass::oid::int);
  for i in 1 .. cardinality(batches) + 1 loop
    if i > first and (i > cardinality(batches) or scopes[i] <> at_scope or sinces[i] is not null
        or imports[i] or imports[i - 1] or batches[i] = any (batches[first : i - 1])) then
      if 0 < any (owners) then
        insert into ${schema}.frame (position, scope, topic, id, time, meta, content)
          select numbers[f.owner] * 1024 + f.frame + first_low - 1 - begins[f.owner], scope_id,
              f.topic, case when f.time is null then prefixes[f.owner] || f.id else f.id end,
              coalesce(f.time, stamps[f.owner]), f.meta, f.content
            from unnest(topics[first_low : low - 1], ids[first_low : low - 1],
                times[first_low : low - 1], metas[first_low : low - 1],
                contents[first_low : low - 1], owners)
              with ordinality as f (topic, id, time, meta, content, owner, frame)
            where f.owner > 0 and (held is null or f.id <> all (held));
        insert into ${schema}.topic as t (name, last)
          select f.topic, max(numbers[f.owner] * 1024 + f.frame + first_low - 1 - begins[f.owner])
            from unnest(topics[first_low : low - 1], ids[first_low : low - 1], owners)
              with ordinality as f (topic, id, owner, frame)
            where f.owner > 0 and (held is null or f.id <> all (held))
            group by f.topic
          on conflict (name) do update set last = excluded.last;
        insert into ${schema}.batch (id, number)
          select batches[b], numbers[b] from generate_series(first, i - 1) as b
            where numbers[b] is not null;
        update ${schema}.scope s set last_prefix = newest_prefix, last_time = newest_time
          where s.name = at_scope;
      end if;
      first := i;
      first_low := low;
      owners := '{}';
    end if;
    exit when i > cardinality(batches);

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
      select array_agg(f.id) into held
        from ${schema}.frame f where f.id = any (ids[low : low + counts[i] - 1]);
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
      -- The prefix of the ids of this millisecond: stamp times 2^80, divided by 36^15.
      newest_prefix := greatest(
        newest_prefix + 1,
        div(stamp * 1208925819614629174706176::numeric + 221073919720733357899775,
          221073919720733357899776)::bigint);
      prefix := ${schema}.digits(newest_prefix);
      number := nextval('${schema}.number');
      numbers[i] := number;
      prefixes[i] := prefix;
      stamps[i] := stamp;
      begins[i] := low;
      owners := owners || array_fill(i, array[counts[i]]);
    else
      numbers[i] := null;
      owners := owners || array_fill(0, array[counts[i]]);
    end if;
    return next;
    low := low + counts[i];
    bound := bound + bounds[i];
  end loop;
end
$$;

-- Waits until every append that has drawn a number has ended. Returns the last number drawn. Batches
-- with lower numbers that are not visible now were never committed.
create function ${schema}.settle() returns bigint language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1380011084, '${schema}.log'::regclass::oid::int);
  return (select case when is_called then last_value else 0 end from ${schema}.number);
end
$$;
