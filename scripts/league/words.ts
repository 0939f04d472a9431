/** The words of a text, between white space. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)
/** The entries of a text, between semicolons. */
const listed = (text: string): readonly string[] =>
  text.split(';').map((entry) => entry.trim().replace(/\s+/g, ' '))

export const qualities = words(`
  Miffed Wobbly Rusty Turbo Silent Crimson Feral Greasy Humble Lazy Molten Nimble Plastic Quantum
  Rowdy Salty Tiny Unruly Velvet Wicked Zesty Bitter Chrome Dusty Electric Fuzzy Gilded Hollow Icy
  Jolly Knotty Loud Mellow Noisy Odd Purple Rogue Sneaky Thirsty Ugly Vivid Wired Yawning Brazen
  Clumsy Dapper Eager Frantic Grumpy Hasty Inflated Jagged Keen Lucid Mighty Nervous Obtuse
  Pickled Restless Spicy Toasted Upside Vexed Wonky Blue Green Orange Copper Tungsten Carbon Paper
  Cosmic Lunar Solar Atomic Analog Digital Feathered Buttered Polite Sleepy Haunted Borrowed
  Crooked Double Triple Second Final Recycled Overclocked Unlicensed Municipal Absolute Accidental
  Aggressive Airborne Ancient Awkward Baffled Battered Bewildered Mauve Bouncing Brittle Broken
  Burnt Carbonated Certified Cheap Chunky Civil Clockwork Cold Combustible Concrete Counterfeit
  Cracked Crispy Crunchy Cursed Dangerous Deep-Fried Delicate Deluxe Dented Discount Dizzy
  Domestic Drowsy Elastic Emergency Evil Expired Explosive Extra Fancy Fast Federal Fizzy Flaming
  Flat Flimsy Forbidden Forgotten Freshly-Squeezed Frosty Funky Galvanized Gentle Giant
  Gluten-Free Golden Gravel Greedy Grilled Half-Baked Hairy Heavy Hydraulic Hyper Illegal Impolite
  Improbable Industrial Infinite Inverted Iron Itchy Lethal Little Lonely Lost Lucky Magnetic
  Copious Mechanical Midnight Mild Minor Moderate Moist Moldy Muddy Naughty Neon Nocturnal
  Northern Nuclear Obnoxious Organic Outrageous Overcooked Passive-Aggressive Pink Pointy Portable
  Possessed Premium Primal Questionable Quick Radical Random Raw Reckless Regrettable Reluctant
  Rubber Sad Savage Scrambled Secret Shifty Shiny Slippery Smug Soggy Solid Sour Spinning Spooky
  Square Stainless Static Steel Sticky Stolen Stray Stubborn Sudden Suspicious Swift Tactical
  Tangled Temporary Terminal Titanium Tipsy Twisted Twitchy Unbalanced Unbothered Undercooked
  Unhinged Unpaid Unstable Vertical Vicious Violent Weighted Wild Wireless Wrathful Yellow Zealous
`)

export const things = words(`
  Badger Waffle Sprocket Teapot Anvil Biscuit Cactus Dumpling Eggplant Ferret Gasket Hedgehog
  Igloo Jackal Kettle Lobster Mallet Noodle Otter Pancake Quokka Radish Spanner Turnip Umbrella
  Vulture Walrus Yak Zipper Armadillo Bagel Crumpet Donkey Elbow Flange Gopher Hamster Iguana
  Jellyfish Kazoo Lemming Muffin Narwhal Ocelot Pickle Quiche Rivet Shovel Teacosy Urchin Vole
  Wombat Bolt Crank Dynamo Engine Furnace Gear Hinge Piston Ratchet Spindle Torque Valve Wrench
  Beetle Cricket Dragonfly Hornet Mantis Moth Scarab Wasp Avalanche Blizzard Cyclone Ember Fog
  Glacier Hail Monsoon Quake Squall Thunder Typhoon Bandit Corsair Duchess Goblin Hermit Jester
  Knight Mayor Nomad Ogre Pirate Rascal Scoundrel Tyrant Valet Vandal Wizard Cabbage Parsnip
  Custard Gravy Marmalade Accountant Acorn Alligator Almanac Aardvark Apricot Archer Artichoke
  Asphalt Auditor Avocado Baboon Bandsaw Banjo Barbecue Barnacle Barrel Basilisk Bassoon Battery
  Beaver Beehive Bobcat Bonfire Boulder Brick Bucket Buffalo Bungee Burrito Butcher Butler Butter
  Buzzard Caboose Cannon Canoe Caravan Casserole Catapult Centipede Chainsaw Cheddar Chisel
  Chicken Cobbler Cobra Coconut Comet Condor Cooker Corkscrew Cougar Coyote Crab Crate Crayon
  Crocodile Crowbar Cucumber Cupcake Cutlass Dagger Daffodil Dentist Diesel Dingo Dolphin Doorbell
  Doughnut Dragon Drawbridge Drill Druid Drum Dustpan Dwarf Eagle Earwig Eclipse Eel Elephant Emu
  Falcon Fandango Fiddle Firefly Flamingo Flapjack Flipper Forklift Fossil Fox Fritter Frog Fudge
  Funnel Gargoyle Gator Gazelle Gecko Ghoul Giraffe Girder Goblet Goose Gorilla Grackle Grapefruit
  Grater Griddle Grinder Grizzly Guillotine Hacksaw Haddock Hairdryer Halibut Hammer Harpoon
  Hatchet Hawk Hazelnut Headache Heron Hippo Hobbit Hubcap Hurdle Husky Hyena Impala Ironing-Board
  Jackhammer Jaguar Jalapeño Javelin Juggernaut Kangaroo Karma Kebab Kipper Koala Kraken Ladle
  Lasagna Lawnmower Lemon Lemur Leopard Librarian Lizard Llama Locomotive Locust Lollipop Linchpin
  Macaroni Magpie Mammoth Mango Manticore Maraca Meatball Meerkat Meteor Microwave Minivan
  Mongoose Moose Mosquito Mousetrap Mudskipper Mustard Nacho Nebula Nettle Newt Nugget Nuisance
  Nutmeg Octopus Omelette Onion Orca Ostrich Owl Oyster Paddle Panda Panther Paprika Parakeet
  Parrot Peacock Peanut Pelican Pendulum Penguin Pepper Phantom Pheasant Piccolo Pigeon Pineapple
  Piranha Pistachio Pitchfork Platypus Plumber Plunger Porcupine Possum Potato Pretzel Prune
  Puffin Pulley Pumpkin Python Raccoon Radiator Ravioli Reindeer Rhino Rhubarb Roadrunner Rocket
  Rooster Rutabaga Sabre Salamander Salmon Sandwich Sausage Scorpion Screwdriver Sewer Shark
  Shepherd Shrimp Skillet Skunk Sledge Sloth Snail Snowplough Sparrow Spatula Spectre Spider
  Spinach Sponge Spud Squid Squirrel Staircase Stapler Starfish Stoat Stork Strudel Submarine Swan
  Tadpole Tangerine Tarantula Taxman Tempest Termite Thistle Thunderclap Tiger Toad Tomato Tornado
  Tortoise Toucan Tractor Trebuchet Trout Trumpet Tuba Tugboat Tulip Turbine Turkey Turtle Unicorn
  Vacuum Viper Volcano Vortex Warthog Washer Weasel Whale Wheel Whippet Whirlpool Widget Windmill
  Wolverine Woodchuck Xylophone Yeti Yogurt Zebra Zeppelin Zucchini
`)

/** Verbs of machines, for compounds. */
export const deeds = words(`
  Bash Bite Blast Boil Bonk Bounce Break Burn Chew Chop Clang Claw Clutch Crack Crash Crunch Crush
  Dash Dent Ditch Dodge Drag Drop Fling Flip Fry Gnaw Grab Grate Grind Gulp Hack Hammer Hook Howl
  Hurl Jab Jolt Kick Lash Lift Lob Lunge Mangle Mash Maul Nibble Nudge Pinch Poke Pound Prod Punch
  Punt Ram Rattle Rip Roast Roll Rumble Scoop Scrape Shake Shove Shred Skid Daub Slice Sling Slurp
  Smash Smack Snap Sneeze Spin Splat Squash Stab Sting Stomp Swat Swipe Tear Thrash Throw Thud
  Thump Toss Trip Twirl Wallop Whack Whirl Wobble Yank Zap
`)

/** Objects of such verbs, in compounds. */
export const grounds = words(`
  back bank bark beam bird blade bone box brain brow buckle bug bump bush can case clad cloud coil
  corn crate creek crown dale dog dome drum dust face fang field fire fist flake foot fork frame
  frost gate ghost grass hand hatch heap heart hide hoof horn hound house jaw keel key kite lamp
  land latch leaf lock log mill mind moon mouth nest note peak pike pin pit plate pod pole pot
  rail rake reef ridge rock rod root sack salt scale seed shaft shell ship skull snout spark spike
  spoon spur stack stone storm strap tail tank thorn throne toe tooth top track trap tree trunk
  tusk vault wall wane ware watch wax web weed wheel whisk wick wing wood worm yard
`)

/** Second words of a name. */
export const matters = words(`
  Academy Agenda Alarm Anthem Apocalypse Appetite Alibis Audit Ballet Bonanza Boogie Brigade
  Budget Bureau Cabaret Calamity Carnival Cartel Catastrophe Circus Club Committee Complex
  Conspiracy Crisis Cult Dance Deluxe Department Derby Diplomacy Disaster Dynasty Effect Embassy
  Empire Encore Expedition Express Factory Fever Fiasco Fiesta Frenzy Gambit Havoc Hazard Heist
  Holiday Hour Incident Inspector Jamboree Judgement Jubilee Junction Justice Kingdom League Logic
  Lullaby Mafia Manifesto Marathon Mayhem Menace Method Mishap Monday Mutiny Opera Orchestra
  Outage Overdrive Overload Panic Parade Paradox Party Patrol Permit Pilgrimage Policy Problem
  Protocol Quartet Rampart Rebellion Recall Remedy Requiem Revue Rodeo Ruckus Saga Salad Sermon
  Serenade Shuffle Sonata Soup Stampede Strategy Supper Surprise Symphony Syndicate Syndrome Tango
  Tantrums Tax Theory Therapy Trouble Tuesday Uprising Vendetta Verdict Voyage Waltz Warning
  Warranty Wedding Whisperer Zone
`)

/** Names of one word. */
export const singles = words(`
  Abracadabrasive Balderdash Barnstormer Bombilate Boondoggle Bumfuzzle Bumptious Cacophonix
  Cantankerous Catawampus Claptrap Cleaverish Clodhopper Codswallop Collywobbles Comeuppance
  Conniption Contraption Crinkum Crotchety Curmudgeon Demerit Dilapidator Discombobulator Doodad
  Doohickey Doomscroller Dunderhead Extrapolator Farrago Fisticuffs Flabbergast Flapdoodle
  Flibbertigibbet Flimflam Flummox Folderol Footpad Fracas Fricassee Fuddyduddy Gadzooks Gallivant
  Galoshes Galumph Gangplank Gerrymander Gesundheit Gewgaw Gimcrack Gobsmacker Gollywobble
  Gongoozler Grimalkin Grubstake Gubbins Guffaw Haberdasher Hangnail Haversack Heebiejeebies
  Higgledy Highfalutin Hobbledehoy Hodgepodge Hogwash Hoodwinker Hornswoggle Hullabaloo Humbug
  Hurlyburly Impetuous Incorrigible Indigestion Ineffable Jabberjaw Jackanapes Jalopy Jambalaya
  Jitterbug Juggler Kaboodle Kibosh Knapsack Kookaburra Lackadaisy Leverage Lickspittle
  Loggerheads Lollygag Lopsided Lumbago Malarkey Malapropism Mandible Marzipanic Mollycoddle
  Monkeyshine Moonraker Mugwump Mumpsimus Namby Nincompoop Nitpicker Nonplussed Nudnik
  Obstreperous Oopsadaisy Oxymoron Palaver Pandiculate Paraphernalia Peccadillo Perpendicular
  Persnickety Pettifogger Phlegmatic Pipsqueak Poltroon Poppycock Prickleback Quagmire Quibbler
  Ragamuffin Rambunctious Rapscallion Razzmatazz Recalcitrant Ricochet Rigmarole Ruckus Rumpus
  Sackbut Scallywag Schadenfreude Scuttlebutt Shambolic Shillelagh Sidewinder Skedaddle Skewbald
  Skulduggery Slapdash Slumgullion Smithereens Snickerdoodle Snollygoster Somersault Spaghettify
  Squeegee Stopgap Stramash Subpoena Swashbuckle Switcheroo Taradiddle Tatterdemalion Thingamabob
  Thunderstruckle Tiddlywink Tintinnabulate Tomfoolery Topsyturvy Turpentine Umbrage Unflappable
  Vamoose Velocipede Verklempt Wainscot Wallflower Whatchamacallit Whippersnapper Whirligig
  Widdershins Wigwam Wingnut Wishbone Yammer Yoinks Zamboni Zigzaggurat
`)

/** Puns and phrases, each for one bot. */
export const phrases = listed(`
  Ain't Mishbehavin'; All Bark No Byte; All Your Base Plate; A Bolt of Fabric;
  A Series of Unfortunate Dents; Axel Grease; Axle Rose Bush; Bad Hair Bay; Battery Not Included;
  Bearing Gifts; Beats Working; Belt Sandwich; Bits and Pieces; Blade to Order; Blown Fuse Blues;
  Bolt to Last; Borrowed Thyme; Brace Yourselves!; Brush with Debt; Budget Airlines;
  Butter Side Down; Can't Stop, Won't Start; Cease & Persist; Chain of Custardy;
  Check Engine Light; Chip on My Shoulder; Circuit Broken; Clutch Performance; Cog in the Works;
  Cogito Ergo Bonk; Contents Under Pressure; Cordless Drill Sergeant; Crate Expectations;
  Current Affairs; Dent Mention It; Do Not Tumble Dry; Do You Even Lift, Bro?; Does Not Compute;
  Don't Panic, It's Organic; Door Dented; Drive-By Hooting; Drill Bits & Giggles; Duct and Cover;
  Dude, Where's My Gear; Emotional Support Anvil; Error 418; Everything Must Go!; Exit Strategy;
  Fast Food for Thought; Feed the Birds; File Not Found; Flat Out Lies; Flip Phone Home;
  Flirting with Distaster; Floor It!; For Whom the Bell Rolls; Fork in the Toad;
  Free to a Good Home; Full Metal Racket; Fuse Is Lost; Gear Today, Gone Tomorrow;
  Get Off My Lawnmower; Good Vibrations, Bad Bearings; Gravel Rash Decision; Grease Is the Word;
  Grin and Gear It; Guess I'll Fry; Handle with Scare; Hasta la Pasta;
  Have You Tried Turning It Off; Hinge Benefits; Hit and Fun; Hot Glue Sticky Situation;
  I Can't Believe It's Not Welded; I.O.U. One Robot; If It Ain't Baroque;
  In Case of Fire Use Stairs; In Spin City; It Was Like That When I Got Here;
  It's Always the Wires; Jack of All Blades; Jumper Cable Guy; Just a Flesh Wound Up;
  Just Add Weight; Kiss My Ax-le; Last Minute Build; Left Shoe; Let There Be Flight;
  Licence to Spill; Life's Too Shorted; Loose Change of Heart; Made in a Garage; Magnetic Poll;
  May Contain Nuts; Mind the Gap Year; Missing Parts Bag; Money Pit Stop; Mum's Spaghetti Code;
  My Other Bot Is Broken; Nacho Average Bot; No Refunds; No Smoking Section; Not a Toy;
  Not Drawn to Scale; Nothing to See Gear; Now with 20% More!; Objects in Mirror;
  Off the Shelf Esteem; Oops, Wrong Polarity; Open Source Wound; Out of Office; Paint It Bleak;
  Parts Unknown Soldier; Pie in the Sky High; Please Be Gentle; Please Hold; Please Recycle Me;
  Pull Yourself to Pieces; Rage Against the Latrine; Rebuilt Tuesday; Reverse Polarity Express;
  Roll of the Mice; Rotor-Rooted; Rust Issues; Same Day Delivery; Saw What You Did; Screws Control;
  Self Defenestration; Sheet Happens; Shock and Thaw; Short Fuse, Long Story; Sir Mix-a-Lathe;
  Skid Row Your Boat; Solder of Fortune; Some Assembly Required; Sorry Not Soldered;
  Spare Parts Inventory; Spin Class Dropout; Spinning Plates; Springs to Mind; Steal Reserve;
  Still in Beta Test; Stock Photo Finish; Strictly Ballroom Blitz; Stuck in Reverse;
  Sudo Make Sandwich; Table for Two Tonnes; Tea, Earl Grey, Hot-Headed; Terms & Conditions Apply;
  Thank You, Next Gen; The Bolt Ones; The Floor Is Lava Cake; The Lathe Show;
  The Wheel Deal Breaker; This Side Up; This Way Up (Maybe); Throttle Therapy; Tin Can Do;
  To Whom It May Concern; Too Many Cooks; Torque Is Cheap; Torque Soup; Tread Lightly Toasted;
  Trial by Wire; Two Left Wheels; Under Warranty; Uneasy Rider Mower; Unpaid Intern;
  Unscheduled Disassembly; Used Car Salesbot; Void If Removed; Watts the Matter; Weld Done, Steak;
  Weld, Weld, Weld; Well, Well, Wheel; Wheel Be Back; Wheel Meat Again; Whisk Assessment;
  Who's Your Caddy; Will Spin for Food; Wing Nutrition; Wire You Like This; Would You Like Fries;
  Yes, We Can Opener; Your Ad Here; You're Toast, Buddy; Zero Regerts
`)

/** Phrases with a place for a thing. */
export const frames = listed(`
  Attack of the Killer _; Bring Your Own _; Certified Pre-Owned _; Ctrl+Alt+_; Definitely Not a _;
  Do Not Feed the _; Don't Poke the _; Farewell, My _; Fear of a _; Have Some _;
  How to Train Your _; It's Just a _; Just Another _; King of the _; Much Ado About _; My Little _;
  No More Mr. _; Not My _; Not Without My _; Oh No, _; Oops! All _; Planet of the _; Return to _;
  Revenge of the _; Slice of _; The Last _; There's No _; To Kill a _; Whose _ Is This;
  World's Okayest _; _ à la Mode; _ Be Gone; _ Express; _ for Hire; _ from Below; _ Gone Wild;
  _ Happens; _ in a Box; _ in Chief; _ Inc.; _ of Mild Peril; _ on Ice; _ on Toast; _ on Wheels;
  _ Over Easy; _ Party of Two; _ Roulette; _ Science; _ Tonight!; _ Unlimited; _ vs. World;
  _ Without a Cause; _, Interrupted; _, Probably
`)

export const people = words(`
  Kevin Gertrude Otis Mabel Walter Agnes Clive Doris Edgar Fern Gus Hilda Ivan June Karl Lorna Ada
  Barnaby Bertha Cecil Clarence Cornelius Daphne Delilah Dexter Edith Elmer Enid Ethelred Eugene
  Floyd Gladys Gordon Greta Harold Hazel Herbert Hortense Ignatius Irma Jasper Jolene Keith
  Leopold Lionel Lucille Maude Melvin Mildred Morris Muriel Nigel Norbert Olga Osbert Pam Percy
  Philippa Quentin Reginald Roderick Rufus Ruth Seymour Sheila Sigmund Susan Tabitha Thelma Trevor
  Ulrich Ursula Vernon Viola Wanda Wilbur Winifred Yolanda Zelda
`)

/** Surnames, said aloud with an initial before them they may be puns. */
export const surnames = words(`
  Bolter Boltwright Brakewell Clank Clunk Cogsworthy Crankshaw Dentworth Drill Dunkley Flangerton
  Flipperly Gearhart Gasketson Grindle Grindstone Hackett Hammerly Jolt Kranky Lugnut McBonk
  McDent McGrind McSpin Pistonberg Ratchetti Rivetson Rotorsen Sawyer Scrapworth Shredsky
  Smashington Solderman Spannerly Sparks Sprockett Torkelson Treadwell Von Clank Voltaire Wattson
  Weldon Wheelwright Whirlow Wrenchley
`)

export const titles = words(
  'Dr. Mr. Mrs. Ms. Sir Captain Professor Lord Lady Uncle Auntie General Major Sgt. Baron Count Judge Saint Old',
)

/** Words of other scripts and languages, with the articles of their languages left out. */
export const foreignWords = listed(`
  Молоток; Злой Бобёр; Искромёт; Черепашка; Кувалда; Гроза; Медведь 3000; Ёжик; Щелкунчик Б; Тачка;
  Бабушкин Утюг; Вертушка; Жук-Носорог; Пельмень; Ржавый Гвоздь; Шестерёнка; Юла; Самовар; ハンマーくん;
  カミナリ号; マワルンジャー; ネコパンチ; ぐるぐるタコ; テツノカニ; ガリガリ; イモムシ; どんぐり; ロボうさぎ; ヤカン; ナベブタ; タヌキ改; エビフライ; コタツムリ;
  鉄くず; 雷神丸; 豆腐; 大根おろし; Źdźbło; Gżegżółka; Łomot; Świder; Żelazko; Wściekły Bóbr; Ślimak Śmigło;
  Mały Czołg; Gęś; Brzęczyszczyk; Pięść; Złota Łyżka; Brüllwürfel; Übergriff; Zerstörchen;
  Größenwahn; Käsefräse; Müllmann; Knödelschütze; Wüstenfüchslein; Königspudel; Blechbüchse;
  Störenfried; Fräulein Säge; Rübezahn; Åska & Dunder; Blåbärssoppa; Köttbullen; Smörblomma;
  Hårdmetall; Tjäle på Hjul; Rødgrød med Fløde; Kæmpekrabbe; Snøplogen; Tête de Pioche;
  Crème Brûlée; Château Ferraille; Garçon Manqué; L'Éplucheur; Déjà Roulé; Cañonazo; Piñata Rota;
  Señor Tuercas; El Ñandú; ¡Olé Chispas!; Pão de Ferro; Coração de Lata; Žihadlo; Křeček;
  Šroubovák; Ježek; Çekiç; Kızgın Örümcek; Şimşek; Törőgép; Fűrészes Pók; Gyöngyvér; Ψωμί;
  Κεραυνός; Σφυρί; 망치; 번개 두더지; 떡볶이; גלגל שיניים; مطرقة
`)
