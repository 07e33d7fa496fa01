-- fake: values that look real, made with a key; shift_days: dates moved by one;
-- scrub, mask_inside: what stands within a text or a document.

CREATE FUNCTION sdc.fake(
    value text,
    kind text,
    domain text,
    period text DEFAULT NULL,
    locale text DEFAULT 'en',
    sex text DEFAULT NULL,
    person text DEFAULT NULL,
    size integer DEFAULT NULL)
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_fake';

COMMENT ON FUNCTION sdc.fake(text, text, text, text, text, text, text, integer) IS
'a value that looks real, made with the key of the domain: the same for the same person everywhere, another one in each period; kind is name, email, phone, iban and others, locale en, de, fr, es or ja';

CREATE FUNCTION sdc.shift_days(
    person text,
    domain text,
    period text DEFAULT NULL,
    days integer DEFAULT 183)
RETURNS integer
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_shift_days';

COMMENT ON FUNCTION sdc.shift_days(text, text, text, integer) IS
'number of days by which the dates of a person are moved, from -days to days but not 0; made with the key of the domain';

CREATE FUNCTION sdc.scrub(
    value text,
    domain text,
    period text DEFAULT NULL,
    locale text DEFAULT 'en',
    known text[] DEFAULT NULL,
    become text[] DEFAULT NULL,
    size integer DEFAULT NULL)
RETURNS text
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_scrub';

COMMENT ON FUNCTION sdc.scrub(text, text, text, text, text[], text[], integer) IS
'a free text whose identifiers are replaced: e-mail addresses, phones, accounts, cards, national and network numbers, streets and names by fakes of the domain, and known values by what they become; what is none of these stays';

CREATE FUNCTION sdc.mask_inside(
    value anyelement,
    paths jsonb,
    names text[] DEFAULT NULL,
    texts text[] DEFAULT NULL,
    known text[] DEFAULT NULL,
    become text[] DEFAULT NULL)
RETURNS anyelement
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'sdcf_mask_inside';

COMMENT ON FUNCTION sdc.mask_inside(anyelement, jsonb, text[], text[], text[], text[]) IS
'a document, XML, hstore, array or row with a rule for each path in it, {"$.contact.email": {"method": "fake", ...}}; values at other paths become NULL';

-- Who may make fakes can find out whose they are by trying all names.
REVOKE ALL ON FUNCTION sdc.fake(text, text, text, text, text, text, text, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.shift_days(text, text, text, integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.scrub(text, text, text, text, text[], text[], integer) FROM PUBLIC;
REVOKE ALL ON FUNCTION sdc.mask_inside(anyelement, jsonb, text[], text[], text[], text[]) FROM PUBLIC;
