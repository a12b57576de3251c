package OutOfStock;
use overload '""' => sub { my $self = shift; "OutOfStock: $self->{article} is sold out\n" };
sub throw { my ($class, %fields) = @_; die bless {%fields}, $class }

package main;
use strict;
use warnings;

sub reserve { OutOfStock->throw(article => shift) }

reserve('teapot');
