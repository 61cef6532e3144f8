namespace Poolhouse.Data.Tests.Faults;

public static class Faces
{
    public static TheoryData<Face> All => new(Enum.GetValues<Face>());
}
