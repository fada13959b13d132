"""Sentences in which things change places or are denied, and others that only say it otherwise."""

from __future__ import annotations

import pytest
from tokalign import align

SAME = [
    ("The teacher of Plato was Socrates.", "Socrates taught Plato."),
    ("The owner of the dog is Tom.", "Tom owns the dog."),
    ("Anna's boss is Ben.", "Ben is the boss of Anna."),
    ("The capital of France is Paris.", "Paris is France's capital."),
    ("Mr Smith is the father of Jane.", "Jane is Mr Smith's daughter."),
    ("The hotel has a pool but no gym.", "There is a pool in the hotel, but not a gym."),
    ("The shop moved from York to Leeds.", "The shop moved to Leeds from York."),
    ("The fund grew from $2m to $3m.", "The fund increased to $3m from $2m."),
    ("The warranty is void if the seal is broken.", "Breaking the seal voids the warranty."),
    ("If payment is late, interest is charged.", "Late payment incurs interest."),
    ("The park closes at sunset.", "The park is open until sunset."),
    ("Delivery takes 10 to 15 days.", "Delivery takes between 10 and 15 days."),
    ("It lasts 2 hours and 20 minutes.", "It lasts 140 minutes."),
    ("It lasts 2 hours and 20 minutes.", "It lasts 2 hours 20 minutes."),
    ("Add 5 eggs and 3 apples.", "Add 3 apples and 5 eggs."),
    ("Logs go to /var/log/app.log.", "The log is written to /var/log/app.log."),
    ("Pets are not allowed without written consent.", "Pets are allowed with written consent."),
    ("Hold the button until the light turns red.", "Hold the button to reset the router."),
    ('"colour": "blue", "waterproof": false', "It is not waterproof."),
    ('"waterproof": false, "colour": "blue"', "The colour is blue."),
    ("debug: no", "Debug is off."),
    ("Store below 25 °C.", "Do not store above 25 °C."),
    ("You may leave only after the bell rings.", "You must not leave before the bell rings."),
    ("The option may only be used with -r.", "The option must not be used without -r."),
    ("If the file does not exist, it is created.", "The file is created unless it exists."),
    ("Take the tablets before meals.", "The tablets should be taken before eating."),
    ("You must not run the command as root.", "Do not run the command as root."),
    ("You should not run the command as root.", "Do not run the command as root."),
    ("It takes a few minutes.", "This takes some minutes."),
    ("It takes 60 seconds.", "It takes one minute."),
    (
        "Neither the pilot nor the passengers were hurt.",
        "The pilot and the passengers were unhurt.",
    ),
    ("Use single quotes to prevent expansion.", "To prevent expansion, use single quotes."),
    ("The notice must not be removed.", "You must keep the notice."),
    ("The option has no effect unless -v is given.", "The option is ignored unless -v is given."),
    ("The law bans smoking in all bars.", "Smoking is banned by law in all bars."),
    (
        "Unless you cancel, your plan renews automatically each month.",
        "Your plan is renewed automatically every month if you do not cancel.",
    ),
    ("Lions live in Africa and tigers in Asia.", "Tigers live in Asia and lions in Africa."),
    (
        "The red team won in May and the blue team in June.",
        "The blue team won in June and the red team in May.",
    ),
    (
        "Anna plays the piano and Ben plays the drums.",
        "Ben plays the drums and Anna plays the piano.",
    ),
    ("Anna plays the piano and Ben the drums.", "Ben plays the drums and Anna the piano."),
    ("Cats chase mice, and dogs chase cats.", "Dogs chase cats, and cats chase mice."),
    ("The museum opens at 9 and the park at 7.", "The park opens at 7 and the museum at 9."),
    ("Tea costs 2 euros and coffee 3 euros.", "Coffee costs 3 euros and tea 2 euros."),
    (
        "Rome is the capital of Italy, while Paris is the capital of France.",
        "Paris is the capital of France, while Rome is the capital of Italy.",
    ),
    (
        "The first floor has offices; the second floor has shops.",
        "The second floor has shops; the first floor has offices.",
    ),
    (
        "Warnings go to the log and errors to the console.",
        "Errors go to the console and warnings to the log.",
    ),
    ("Use -a for all files and -l for long lists.", "Use -l for long lists and -a for all files."),
    ("Adults pay 10 euros, children pay 5 euros.", "Children pay 5 euros, adults pay 10 euros."),
    (
        "In winter the shop closes at 5, in summer at 8.",
        "In summer the shop closes at 8, in winter at 5.",
    ),
    (
        "Smith scored in the first half and Jones in the second half.",
        "Jones scored in the second half and Smith in the first half.",
    ),
    ("The north is dry but the south is wet.", "The south is wet but the north is dry."),
    (
        "Bolts are made of steel and pipes of copper.",
        "Pipes are made of copper and bolts of steel.",
    ),
    ("Ann lives in Oslo and works in Rome.", "Ann works in Rome and lives in Oslo."),
    ("Wolves eat meat, whereas deer eat grass.", "Deer eat grass, whereas wolves eat meat."),
    (
        "Mercury is the smallest planet and Jupiter the largest.",
        "Jupiter is the largest planet and Mercury the smallest.",
    ),
    ("Set width to 10 and height to 20.", "Set height to 20 and width to 10."),
    ("The train was late.", "The train was not on time."),
    ("The museum is open daily except Monday.", "The museum is closed on Mondays."),
    ("The room was empty.", "There was nobody in the room."),
    ("The road is closed to all traffic.", "No traffic is allowed on the road."),
    ("The plan failed.", "The plan did not succeed."),
    ("The offer is no longer valid.", "The offer has expired."),
    ("The file is missing.", "The file could not be found."),
    ("He was absent.", "He did not attend."),
    ("The service is free.", "There is no charge for the service."),
    ("The door was unlocked.", "Nobody had locked the door."),
    ("She is single.", "She is not married."),
    ("The well is dry.", "There is no water in the well."),
    ("The patient is conscious again.", "The patient is no longer unconscious."),
    ("The shop is out of bread.", "The shop has no bread left."),
    ("He remained silent.", "He did not say anything."),
    ("The two results differ.", "The two results are not the same."),
    ("The claim is false.", "The claim is not true."),
    ("Support for Python 2 was removed.", "Python 2 is no longer supported."),
    ("Smoking is banned here.", "You may not smoke here."),
    ("The meeting was cancelled.", "The meeting did not take place."),
]
UNLIKE = [
    ("The deadline was moved from March to April.", "The deadline was moved from April to March."),
    ("Add 5 eggs and 3 apples.", "Add 3 eggs and 5 apples."),
    ("They have two daughters and one son.", "They have two sons and one daughter."),
    ("Delivery takes between 10 and 15 days.", "Delivery takes between 10 and 20 days."),
    ("It takes between 3 and 5 days.", "It takes between 3 and 5 weeks."),
    ("It lasts 2 hours and 20 minutes.", "It lasts 2 hours and 40 minutes."),
    ("He is 5 feet 10 inches tall.", "He is 5 feet 11 inches tall."),
    ("She has been CEO since 2015.", "She was CEO until 2015."),
    ("The new law takes effect next year.", "The new law took effect last year."),
    ("The red button stops the machine.", "The green button stops the machine."),
    ("The warranty is void if the seal is broken.", "The warranty is void if the seal is intact."),
    ("The file is stored in /etc/hosts.", "The file is stored in /etc/passwd."),
    ("Tom employs Ann.", "Ann employs Tom."),
    ("Pets are not allowed without consent.", "Pets are allowed without consent."),
    ("The lamp is waterproof: false", "The lamp is waterproof: true"),
    ("The flight departs from Rome for Oslo.", "The flight departs from Oslo for Rome."),
    ("Store below 25 °C.", "Store above 25 °C."),
    ("The option may only be used with -r.", "The option may be used without -r."),
    ("The timeout is given in milliseconds.", "The timeout is given in seconds."),
    ("The size is given in bytes.", "The size is given in kilobytes."),
    ("Matching is case-insensitive.", "Matching is case-sensitive."),
    ("The table is read-only.", "The table is writable."),
    ("The message is written to stderr.", "The message is written to stdout."),
    ("Her uncle lives in Rome.", "Her cousin lives in Rome."),
    ("He paid in cash.", "He paid by card."),
    (
        "The header is checked before the footer.",
        "The footer is checked before the header.",
    ),
    ("A helper holds the ladder for the painter.", "The painter holds the ladder for a helper."),
    ("Refuse only if it rains.", "Refuse if it rains."),
    ("Painting helps singing.", "Singing helps painting."),
    (
        "People who sleep less than six hours are more likely to catch a cold.",
        "People who sleep less than six hours are less likely to catch a cold.",
    ),
    ("The painting sold for twice its estimate.", "The painting sold for half its estimate."),
    ("The directory is created with mode 0755.", "The directory is created with mode 0700."),
    (
        "Status is 0 if the files are the same, 1 if they differ.",
        "Status is 1 if the files are the same, 0 if they differ.",
    ),
    ("Leading spaces are removed.", "Trailing spaces are removed."),
    ("Leading spaces are removed.", "Leading spaces are kept."),
    ("Warnings go to standard error.", "Warnings go to standard output."),
    ("Copies in source form are allowed.", "Copies in binary form are allowed."),
    ("The firm will cut 1,200 jobs.", "The firm will create 1,200 jobs."),
    ("Lions live in Africa and tigers in Asia.", "Lions live in Asia and tigers in Africa."),
    ("Lions live in Africa and tigers in Asia.", "Tigers live in Africa and lions in Asia."),
    (
        "The red team won in May and the blue team in June.",
        "The red team won in June and the blue team in May.",
    ),
    (
        "Anna plays the piano and Ben plays the drums.",
        "Anna plays the drums and Ben plays the piano.",
    ),
    ("Anna plays the piano and Ben the drums.", "Ben plays the piano and Anna the drums."),
    ("The museum opens at 9 and the park at 7.", "The park opens at 9 and the museum at 7."),
    ("The museum opens at 9 and the park at 7.", "The museum opens at 7 and the park at 9."),
    ("Tea costs 2 euros and coffee 3 euros.", "Tea costs 3 euros and coffee 2 euros."),
    (
        "Rome is the capital of Italy, while Paris is the capital of France.",
        "Rome is the capital of France, while Paris is the capital of Italy.",
    ),
    (
        "The first floor has offices; the second floor has shops.",
        "The first floor has shops; the second floor has offices.",
    ),
    (
        "Warnings go to the log and errors to the console.",
        "Warnings go to the console and errors to the log.",
    ),
    ("Use -a for all files and -l for long lists.", "Use -l for all files and -a for long lists."),
    ("Adults pay 10 euros, children pay 5 euros.", "Adults pay 5 euros, children pay 10 euros."),
    (
        "In winter the shop closes at 5, in summer at 8.",
        "In winter the shop closes at 8, in summer at 5.",
    ),
    (
        "Smith scored in the first half and Jones in the second half.",
        "Jones scored in the first half and Smith in the second half.",
    ),
    ("The north is dry but the south is wet.", "The north is wet but the south is dry."),
    (
        "Bolts are made of steel and pipes of copper.",
        "Bolts are made of copper and pipes of steel.",
    ),
    ("Wolves eat meat, whereas deer eat grass.", "Wolves eat grass, whereas deer eat meat."),
    (
        "Mercury is the smallest planet and Jupiter the largest.",
        "Mercury is the largest planet and Jupiter the smallest.",
    ),
    ("Keys are stored in memory, values on disk.", "Keys are stored on disk, values in memory."),
    ("Milk comes from cows and wool from sheep.", "Milk comes from sheep and wool from cows."),
    (
        "The teacher speaks French and the student speaks German.",
        "The teacher speaks German and the student speaks French.",
    ),
    ('{"waterproof": true}', "The lamp is not waterproof."),
    ('"enabled": true', "The feature is not enabled."),
    ("Only members may enter.", "Any visitor may enter."),
    ("Only staff can edit pages.", "Any user can edit pages."),
]


def conflicts(one, other):
    return [str(each) for each in align(one, other).conflicts]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_way_is_no_conflict(one, other):
    assert conflicts(one, other) == conflicts(other, one) == []


@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_what_says_otherwise_is_a_conflict(one, other):
    assert conflicts(one, other) and conflicts(other, one)
