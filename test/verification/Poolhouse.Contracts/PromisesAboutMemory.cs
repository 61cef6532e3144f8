namespace Poolhouse.Contracts;

/// <summary>The promises about memory: nothing else runs meanwhile.</summary>
[Collection(nameof(Alone))]
public sealed class PromisesAboutMemory
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Promises.Rows(kind: null, alone: true);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => Promises.RunAsync(pool, promise);
}
