use Carp;
$SIG{__DIE__} = \&Carp::confess;
sub inner { die "inner failure" }
sub outer { inner(1) }
outer();
