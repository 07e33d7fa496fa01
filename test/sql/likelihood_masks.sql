-- likelihood_masks: on every mask of the registry the intruder who knows the
-- rules finds at least as much as each other attack, and what he says is
-- right as often as he says.  Two small tables; ./run bench sql has twenty.
SET client_min_messages = warning;
\i data/masks_attacked.sql
-- masks that no rule here names: add one to data/masks_attacked.sql
SELECT * FROM masks_left() AS masks_left;
SELECT count(attack_masks(seed, 150, '{distance,mahalanobis,probabilistic,transparency,likelihood}')) AS tables
FROM generate_series(1, 2) AS seed;
SELECT count(*) >= 36 AS all_masks FROM attacks_compared WHERE found IS NOT NULL;
-- where another attack finds more, beyond chance
SELECT * FROM attacks_compared WHERE less IS NOT FALSE AND other_found IS NOT NULL;
-- columns shuffled independently: one of 150
SELECT found <= 10 AS chance FROM attacks_compared WHERE name = 'shuffle';
-- what is said is right as often as it is said, over all masks: within .05 and
-- two deviations of chance
SELECT band, round(sum(said)::numeric / sum(links), 3) AS said, round(sum(right_)::numeric / sum(links), 3) AS is_right
FROM said GROUP BY band HAVING sum(links) >= 200 AND abs(sum(said) - sum(right_)) > 0.05 * sum(links) + sqrt(sum(links));
DROP TABLE people, masked, said, attacked, mask_rules CASCADE;
DROP FUNCTION attack_masks, masks_left, masks_known, draw_people, draw;
SELECT sdc.drop_hierarchy('tens'), sdc.drop_hierarchy('few');
SELECT sdc.forget_pseudonyms('attacked') IS NOT NULL AS forgotten;
