use strict;
use warnings;
use Shop::Printer::Thermal;

Shop::Printer::Thermal->new;
