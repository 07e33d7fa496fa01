-- Figures are rounded where they are shown, and exact where they decide.
SET sdc.digits = 6;
CREATE TABLE third (id int, a int, s text);
INSERT INTO third SELECT i, CASE WHEN i % 3 = 0 THEN i ELSE -1 END, 's' || i % 2 FROM generate_series(1, 9999) AS i;
SELECT measure, value FROM sdc.risk_report('third', '{a}', '{s}', measures => '{records,unique_share,average_class,prosecutor_average,t_equal}');
SET sdc.digits = 3;
SELECT measure, value FROM sdc.risk_report('third', '{a}', measures => '{unique_share,average_class}');
SET sdc.digits = 17;
SELECT measure, value = 3333 / 9999::float8 AS exact FROM sdc.risk_report('third', '{a}', measures => '{unique_share}');
RESET sdc.digits;
SET sdc.digits = 0;
SET sdc.digits = 6;

-- A share that is not 1 is not shown as 1, and no error of computing is shown.
CREATE TABLE nearly AS SELECT i AS id, CASE WHEN i < 3 THEN 0 ELSE i END AS a FROM generate_series(1, 3000) AS i;
SET sdc.digits = 2;
SELECT measure, value FROM sdc.risk_report('nearly', '{a}', measures => '{unique_share}');
SET sdc.digits = 6;

-- The gate: a third is more than 0.333333, which is what the report shows.
SELECT sdc.create_policy('thirds', 'third', '{"s": {"method": "keep"}}', '[{"measure": "unique_share", "<=": 0.333333},
  {"measure": "unique_share", ">": 0.333333}, {"measure": "unique_share", "<=": 0.3334}]', '{"keys": "a", "attacks": []}');
SELECT place, value, bound, passed FROM sdc.check_release('thirds', 'third') ORDER BY place;
SELECT sdc.drop_policy('thirds');

-- Whatever writes a table shows its figures alike.
SELECT measure, value FROM sdc.recode_locally('third', 'third_recoded', 'id', '{a}', k => 2) WHERE measure = 'granularity';
DROP TABLE third, nearly, third_recoded;
