namespace Poolhouse.Tests;

/// <summary>
/// Tests that observe the whole process: its memory, or the numbers of its threads. No other tests run at the same time.
/// </summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
