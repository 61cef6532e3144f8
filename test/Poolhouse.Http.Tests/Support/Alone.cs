namespace Poolhouse.Http.Tests.Support;

/// <summary>Tests that collect garbage or count bytes: one after another, and nothing beside them.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
