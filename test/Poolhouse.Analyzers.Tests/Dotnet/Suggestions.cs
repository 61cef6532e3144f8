using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>PH2005, PH2006, PH2008, PH2009 and PH2011.</summary>
public sealed class Suggestions
{
    [Theory]
    [InlineData("void M() { var a = [|arrays.Rent(10)|]; a[0] = 1; }")]
    [InlineData("void M() { [|arrays.Rent(10)|]; }")]
    [InlineData("int M(Stream s) { var a = [|arrays.Rent(10)|]; return s.Read(a, 0, 10); }")]
    [InlineData("void M() { var text = [|builders.Get()|]; text.Append('x'); }")]
    public Task An_item_that_is_never_returned_is_found(string source) => Expect.FoundAsync("PH2005", source);

    [Theory]
    [InlineData("ArraySegment<byte> M() { var a = arrays.Rent(10); return new ArraySegment<byte>(a, 0, 10); }")]
    [InlineData("Memory<byte> M() { var a = arrays.Rent(10); return a.AsMemory(0, 10); }")]
    [InlineData("void M() { var a = arrays.Rent(10); field = a; }")]
    [InlineData("void M() { var a = arrays.Rent(10); Consume(a); }")]
    public Task An_item_that_is_passed_on_is_left_alone(string source) => Expect.FoundAsync("PH2005", source);

    [Theory]
    [InlineData(
        "async Task M(Stream s) { var a = [|arrays.Rent(10)|]; var n = await s.ReadAsync(a.AsMemory(0, 10)); arrays.Return(a); }")]
    [InlineData("void M(Action act) { var a = [|arrays.Rent(10)|]; act(); arrays.Return(a); }")]
    [InlineData(
        "void M(Action act) { var a = [|arrays.Rent(10)|]; try { act(); arrays.Return(a); } catch (IOException) { throw; } }")]
    [InlineData(
        "void M(Stream s) { var a = [|arrays.Rent(10)|]; s.ReadExactly(a, 0, 10); try { a[0]++; } finally { arrays.Return(a); } " +
        "}")]
    public Task An_item_that_an_exception_loses_is_found(string source) => Expect.FoundAsync("PH2006", source);

    [Theory]
    [InlineData(
        "async Task M(Stream s) { var a = arrays.Rent(10); try { var n = await s.ReadAsync(a.AsMemory(0, 10)); } finally { " +
        "arrays.Return(a); } }")]
    [InlineData("void M() { var a = arrays.Rent(10); Console.WriteLine(a.Length); arrays.Return(a); }")]
    [InlineData(
        "int M(ReadOnlySequence<byte> input, Func<byte[], int> act) { var a = arrays.Rent(10); input.CopyTo(a); try { return " +
        "act(a); } finally { arrays.Return(a); } }")]
    [InlineData(
        "int M(Func<byte[], int> act) { byte[] a = [], b = []; try { a = arrays.Rent(10); b = ArrayPool<byte>.Shared.Rent(10); " +
        "return act(b); } finally { arrays.Return(a); ArrayPool<byte>.Shared.Return(b); } }")]
    public Task An_item_that_is_returned_anyway_is_left_alone(string source) => Expect.FoundAsync("PH2006", source);

    [Fact]
    public Task References_that_stay_in_a_returned_array_are_found() => Expect.FoundAsync(
        "PH2008",
        "void M() { var a = ArrayPool<string>.Shared.Rent(10); a[0] = \"x\"; [|ArrayPool<string>.Shared.Return(a)|]; }");

    [Theory]
    [InlineData(
        "void M() { var a = ArrayPool<string>.Shared.Rent(10); a[0] = \"x\"; ArrayPool<string>.Shared.Return(a, clearArray: " +
        "true); }")]
    [InlineData(
        "void M() { var a = ArrayPool<string>.Shared.Rent(10); a[0] = \"x\"; a.AsSpan(0, 1).Clear(); " +
        "ArrayPool<string>.Shared.Return(a); }")]
    [InlineData("void M() { var a = ArrayPool<int>.Shared.Rent(10); a[0] = 1; ArrayPool<int>.Shared.Return(a); }")]
    public Task An_array_that_is_cleared_or_needs_no_clearing_is_left_alone(string source) => Expect.FoundAsync("PH2008", source);

    [Fact]
    public Task A_rented_array_that_a_public_method_returns_is_found() => Expect.FoundAsync(
        "PH2009",
        "public sealed class Reader { public byte[] Read() { var a = ArrayPool<byte>.Shared.Rent(10); return [|a|]; } }");

    [Theory]
    [InlineData("public sealed class Reader { internal byte[] Read() { var a = ArrayPool<byte>.Shared.Rent(10); return a; } }")]
    [InlineData("public sealed class Reader { public byte[] RentBuffer() => ArrayPool<byte>.Shared.Rent(10); }")]
    public Task A_rented_array_that_stays_inside_or_says_so_is_left_alone(string source) => Expect.FoundAsync("PH2009", source);

    [Fact]
    public Task A_raw_item_across_an_await_is_found() => Expect.FoundAsync(
        "PH2011",
        "async Task M() { var text = [|builders.Get()|]; try { await Task.Yield(); } finally { builders.Return(text); } }");
}
