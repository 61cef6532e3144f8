namespace Poolhouse.Data.Tests.Faults;

public static class Faces
{
    public static TheoryData<Face> All => new(Enum.GetValues<Face>());

    /// <summary>Each fault in each face.</summary>
    public static TheoryData<string, Face> Each(IEnumerable<string> faults) => new(
        from fault in faults
        from face in Enum.GetValues<Face>()
        select (fault, face));
}
