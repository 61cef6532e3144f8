namespace Poolhouse.Tests.Streams.Model;

/// <summary>A read-only stream over bytes that never change.</summary>
internal sealed class PlainSubject(Stream stream) : Subject(stream)
{
    private readonly byte[] _seen = new byte[1];

    /// <summary>Reads the whole content and restores the position.</summary>
    public override void ReadContent(Span<byte> bytes)
    {
        var position = Stream.Position;
        Stream.Position = 0;
        Stream.ReadExactly(bytes);
        Assert.Equal(0, Stream.Read(_seen));
        Stream.Position = position;
    }
}
