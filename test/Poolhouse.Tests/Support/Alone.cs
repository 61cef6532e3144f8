namespace Poolhouse.Tests;

/// <summary>Tests that watch the process: its memory, or the numbers of its threads. Nothing else runs beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
