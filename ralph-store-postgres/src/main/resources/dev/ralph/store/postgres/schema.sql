-- One log. A position is 1024 times the number of a batch, plus the frame's place in it.
create table ${schema}.log (
  version int primary key,
  store_id text not null,
  -- A snapshot up to here may hold what was erased since: then it is not kept.
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

-- Appends batches, those of one scope beside each other and scopes in order, each all or not at all.
-- Every append holds the log's lock, shared, from before it draws a number until its frames can be
-- seen. What is given: counts, the frames of each batch; imports, whether some bring their ids;
-- clock, the time of a clock that is not the server's; bounds, the ranges of topics that each
-- batch's condition asks for; sinces, null without a condition; ids, of a new frame the last 15
-- digits, which rise within a batch. Outcomes: a appended, k known before, c conflict, e nothing new.
--
-- Batches are decided on one by one, and written together with those before them of their scope,
-- as long as none asks for what these change.
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
  -- Of what is not written yet: the first batch, the first frame, and the batch of each frame,
  -- 0 for those that are left out.
  first int := 1;
  first_low int := 1;
  owners int[] := '{}';
  -- By the number of the batch.
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
      -- An id of that millisecond begins so: it times 2^80, divided by 36^15.
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

-- Waits until every append that has drawn a number has ended. Returns the last number drawn: frames
-- of lower ones that can't be seen now will never be.
create function ${schema}.settle() returns bigint language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1380011084, '${schema}.log'::regclass::oid::int);
  return (select case when is_called then last_value else 0 end from ${schema}.number);
end
$$;
