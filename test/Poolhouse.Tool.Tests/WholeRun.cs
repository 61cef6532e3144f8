using Poolhouse.Testing;

// At the end of the run, everything that was rented must be back, and every pool disposed.
[assembly: AssemblyFixture(typeof(LeakCheck))]
