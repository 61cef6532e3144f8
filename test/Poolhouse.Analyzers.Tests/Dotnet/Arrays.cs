using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>PH2004, PH2007 and PH2010.</summary>
public sealed class Arrays
{
    [Theory]
    [InlineData("void M() { var a = arrays.Rent(10); [|ArrayPool<byte>.Shared.Return(a)|]; }")]
    [InlineData("void M() { var a = ArrayPool<byte>.Shared.Rent(10); [|arrays.Return(a)|]; }")]
    [InlineData("void M() { var a = ArrayPool<byte>.Shared.Rent(10); [|TieredArrayPool<byte>.Shared.Return(a)|]; }")]
    [InlineData("void M(ArrayPool<byte> pool) { var a = pool.Rent(10); [|ArrayPool<byte>.Shared.Return(a)|]; }")]
    public Task A_return_to_another_pool_is_found(string source) => Expect.FoundAsync("PH2004", source);

    [Theory]
    [InlineData("void M() { var a = buffers.Rent(10); ArrayPool<byte>.Shared.Return(a); }")]
    [InlineData("void M() { var a = ArrayPool<byte>.Shared.Rent(10); ArrayPool<byte>.Shared.Return(a); }")]
    [InlineData("void M() { var pool = ArrayPool<byte>.Shared; var a = pool.Rent(10); ArrayPool<byte>.Shared.Return(a); }")]
    [InlineData("void M(byte[] a) { ArrayPool<byte>.Shared.Return(a); }")]
    public Task A_return_to_a_pool_that_may_be_the_same_is_left_alone(string source) => Expect.NothingAsync(source);

    [Fact]
    public Task A_shared_pool_of_another_type_may_be_any_pool() => Expect.NothingAsync(
        """
        internal static class Pools
        {
            public static ArrayPool<byte> Shared => ArrayPool<byte>.Shared;

            public static void Use()
            {
                var array = Shared.Rent(16);
                ArrayPool<byte>.Shared.Return(array);
            }
        }
        """);

    [Theory]
    [InlineData("void M(Stream s) { var a = arrays.Rent(10); s.Write([|a|]); arrays.Return(a); }")]
    [InlineData(
        "void M(Stream s) { var a = arrays.Rent(10); var n = s.Read(a); s.Write(a, 0, [|a.Length|]); arrays.Return(a); }")]
    [InlineData(
        "string M(Stream s) { var a = arrays.Rent(10); var n = s.Read(a, 0, a.Length); var text = " +
        "Encoding.UTF8.GetString([|a|]); arrays.Return(a); return text; }")]
    [InlineData("async Task M(Stream s) { var a = arrays.Rent(10); await s.WriteAsync([|a|]); arrays.Return(a); }")]
    [InlineData(
        "int M() { var a = arrays.Rent(10); var sum = 0; for (var i = 0; i < [|a.Length|]; i++) { sum += a[i]; } " +
        "arrays.Return(a); return sum; }")]
    [InlineData(
        "int M() { var a = arrays.Rent(10); var sum = 0; foreach (var b in [|a|]) { sum += b; } arrays.Return(a); return sum; }")]
    [InlineData("byte[] M() { var a = arrays.Rent(10); var copy = [|a|].ToArray(); arrays.Return(a); return copy; }")]
    [InlineData(
        "string M() { var a = arrays.Rent(10); var text = Convert.ToBase64String([|a|]); arrays.Return(a); return text; }")]
    public Task The_length_of_a_rented_array_that_is_taken_for_the_requested_one_is_found(string source) =>
        Expect.FoundAsync("PH2007", source);

    [Theory]
    [InlineData(
        "void M(Stream s) { var a = arrays.Rent(10); var n = s.Read(a, 0, a.Length); s.Write(a, 0, n); arrays.Return(a); }")]
    [InlineData(
        "void M(Stream s) { var a = arrays.Rent(10); int n; while ((n = s.Read(a)) > 0) { s.Write(a.AsSpan(0, n)); } " +
        "arrays.Return(a); }")]
    [InlineData("void M() { var a = arrays.Rent(10); for (var i = 0; i < a.Length; i++) { a[i] = 1; } arrays.Return(a); }")]
    [InlineData("void M(Stream s) { var a = arrays.Rent(10); Random.Shared.NextBytes(a); s.Write(a); arrays.Return(a); }")]
    [InlineData("void M(Stream s) { var a = new byte[10]; s.Write(a); }")]
    public Task A_use_that_knows_the_length_is_left_alone(string source) => Expect.NothingAsync(source);

    [Theory]
    [InlineData("void M() { var owner = [|memory.Rent(10)|]; owner.Memory.Span.Clear(); }")]
    [InlineData("void M() { [|memory.Rent(10)|].Memory.Span.Clear(); }")]
    [InlineData("void M() { var owner = memory.Rent(10); owner.Dispose(); [|owner.Memory|].Span.Clear(); }")]
    [InlineData("int M() { var owner = memory.Rent(10); var part = owner.Memory; owner.Dispose(); return [|part|].Length; }")]
    [InlineData("Memory<byte> M() { using var owner = memory.Rent(10); return [|owner.Memory|]; }")]
    public Task A_memory_owner_that_is_not_disposed_or_used_afterwards_is_found(string source) =>
        Expect.FoundAsync("PH2010", source);

    [Theory]
    [InlineData("void M() { using var owner = memory.Rent(10); owner.Memory.Span.Clear(); }")]
    [InlineData("IMemoryOwner<byte> M() { var owner = memory.Rent(10); owner.Memory.Span.Clear(); return owner; }")]
    [InlineData("void M() { var owner = memory.Rent(10); Consume(owner); }")]
    public Task A_memory_owner_that_is_disposed_or_passed_on_is_left_alone(string source) => Expect.NothingAsync(source);
}
