using Poolhouse.Analyzers.Tests.Harness;

namespace Poolhouse.Analyzers.Tests.Dotnet;

/// <summary>
/// Rent methods of the user: by option and by attribute; and the property that switches the rules about the pools of .NET off.
/// </summary>
public sealed class OwnMethods
{
    private const string Frames = """
        namespace MyApp;

        internal static class Frames
        {
            public static byte[] Take(int length) => new byte[length];
            public static void Give(byte[] frame) => Console.WriteLine(frame.Length);
        }

        [AttributeUsage(AttributeTargets.All)]
        internal sealed class RentedReturnAttribute : Attribute;

        [AttributeUsage(AttributeTargets.Parameter)]
        internal sealed class TransfersOwnershipAttribute : Attribute;

        """;

    [Theory]
    [InlineData("dotnet_code_quality.additional_rent_methods = MyApp.Frames.Take->Give")]
    [InlineData("dotnet_code_quality.PH2001.additional_rent_methods = M:MyApp.Frames.Take->Give")]
    [InlineData("dotnet_code_quality.additional_rent_methods = MyApp.Frames.Take -> Give")]
    public Task A_rent_method_that_the_configuration_names_is_followed(string config) => Expect.FoundAsync(
        "PH2001",
        Frames +
            "internal sealed class User { void M() { var frame = Frames.Take(10); Frames.Give(frame); [|Frames.Give(frame)|]; " +
            "} }",
        config);

    [Fact]
    public Task A_rent_method_that_nothing_names_is_left_alone() => Expect.NothingAsync(
        Frames +
            "internal sealed class User { void M() { var frame = Frames.Take(10); Frames.Give(frame); Frames.Give(frame); } }");

    [Fact]
    public Task A_method_that_is_marked_rents() => Expect.FoundAsync(
        "PH2005",
        Frames + """
            internal sealed class User
            {
                [RentedReturn]
                private static byte[] Rent() => ArrayPool<byte>.Shared.Rent(10);

                private static void Keep([TransfersOwnership] byte[] array) => Console.WriteLine(array);

                private static void Lost() { var array = [|Rent()|]; array[0] = 1; }

                private static void Kept() { var array = Rent(); Keep(array); }
            }
            """);

    [Theory]
    [InlineData("void M() { var a = arrays.Rent(10); arrays.Return(a); arrays.Return(a); }")]
    [InlineData("byte M() { var a = arrays.Rent(10); arrays.Return(a); return a[0]; }")]
    [InlineData("void M() { var owner = memory.Rent(10); owner.Memory.Span.Clear(); }")]
    public Task With_leases_only_the_pools_of_dotnet_are_left_alone(string source) =>
        Expect.NothingAsync(source, "build_property.PoolhouseAnalyzers = leases");

    [Fact]
    public Task With_leases_only_leases_are_still_followed() => Expect.FoundAsync(
        "PH1001", "void M() { var lease = [|sessions.Rent()|]; lease.Value.Use(); }",
        "build_property.PoolhouseAnalyzers = leases");

    [Fact]
    public Task With_leases_only_a_leased_item_that_is_returned_by_hand_is_found() => Expect.FoundAsync(
        "PH1011", "void M() { using var lease = tiered.Rent(); [|tiered.Return(lease.Value)|]; }",
        "build_property.PoolhouseAnalyzers = leases");

    [Theory]
    [InlineData("dotnet_code_quality.additional_rent_methods = MyApp.Frames.->Give")]
    [InlineData("dotnet_code_quality.additional_rent_methods = ->")]
    public Task A_rent_method_without_a_name_is_ignored(string config) => Expect.FoundAsync(
        "PH1001", "void M() { var lease = [|sessions.Rent()|]; lease.Value.Use(); }", config);
}
