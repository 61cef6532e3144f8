namespace Poolhouse.Contracts;

[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
