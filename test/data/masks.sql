-- masks.sql: the masks of the registry, and numbers that are the same
-- everywhere.  Read by masks_attacked.sql and nights.sql, which have data and
-- rules for each of these masks.

-- A stream of numbers in [0, 1) that is the same everywhere.
CREATE FUNCTION draw(seed bigint, i bigint, salt bigint) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
SELECT ('x' || substr(md5(seed || ' ' || i || ' ' || salt), 1, 12))::bit(48)::bigint / 281474976710656.0::float8 $$;

-- The methods of rules.  The list is the hint of a method that there is not;
-- the records of synthesize are nobody's.
CREATE FUNCTION masks_known() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	CREATE TEMP TABLE no_mask (a int) ON COMMIT DROP;
	PERFORM sdc.mask('no_mask', '{"a": {"method": "no such mask"}}');
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	IF hint NOT LIKE '%rank_swap%' THEN
		RAISE 'the hint does not list the masks: %', hint;
	END IF;
	RETURN QUERY
	SELECT m[1] FROM regexp_matches(hint, '[a-z]+(?:_[a-z]+)*', 'g') AS m
	WHERE hint ~ (m[1] || '[,.]') AND m[1] <> 'synthesize';
END $$;
