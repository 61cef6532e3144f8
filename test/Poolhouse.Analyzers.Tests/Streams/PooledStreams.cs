using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Streams;

/// <summary>PH3001, PH3002 and PH3003.</summary>
public sealed class PooledStreams
{
    [Theory]
    [InlineData("byte[] M() { using var stream = streams.Rent(); return [|stream.ToArray()|]; }")]
    public Task A_copy_is_found(string source) => Expect.FoundAsync("PH3001", source);

    [Theory]
    [InlineData("void M() { var stream = [|streams.Rent()|]; stream.WriteByte(1); }")]
    [InlineData("void M() { var stream = [|streams.GetStream(\"x\")|]; stream.WriteByte(1); }")]
    [InlineData("void M() { [|streams.Rent()|]; }")]
    public Task A_stream_that_is_never_disposed_is_found(string source) => Expect.FoundAsync("PH3002", source);

    [Theory]
    [InlineData("void M() { using var stream = streams.Rent(); stream.WriteByte(1); }")]
    [InlineData("Stream M() { var stream = streams.Rent(); stream.WriteByte(1); stream.Position = 0; return stream; }")]
    [InlineData("void M() { var writer = new StreamWriter(streams.Rent()); writer.Dispose(); }")]
    [InlineData("void M() { var stream = streams.Rent(); using var writer = new StreamWriter(stream); writer.Write(1); }")]
    [InlineData("async Task M() { await using var stream = streams.Rent(); await stream.FlushAsync(); }")]
    public Task A_stream_that_is_disposed_or_passed_on_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData(
        "long M() { var stream = streams.Rent(); var sequence = stream.WrittenSequence; stream.Dispose(); return " +
        "[|sequence|].Length; }")]
    [InlineData("ReadOnlySequence<byte> M() { using var stream = streams.Rent(); return [|stream.WrittenSequence|]; }")]
    public Task A_sequence_that_outlives_its_stream_is_found(string source) => Expect.FoundAsync("PH3003", source);
}
