namespace Poolhouse.Data.Tests.Faults;

public static class PoolApis
{
    public static TheoryData<PoolApi> All => new(Enum.GetValues<PoolApi>());

    /// <summary>Each fault through each API.</summary>
    public static TheoryData<string, PoolApi> Each(IEnumerable<string> faults) => new(
        from fault in faults
        from api in Enum.GetValues<PoolApi>()
        select (fault, api));
}
