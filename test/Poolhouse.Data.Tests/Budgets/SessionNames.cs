using System.Text;
using Poolhouse.Data.Budgets;

namespace Poolhouse.Data.Tests.Budgets;

/// <summary>The names by which sessions of a budget are recognized.</summary>
public sealed class SessionNames
{
    [Theory]
    [InlineData("shop", "shop ph/orders/12345678")]
    [InlineData(null, "ph/orders/12345678")]
    [InlineData("  ", "ph/orders/12345678")]
    [InlineData(
        "a name that is much too long to be kept as a whole, by far",
        "a name that is much too long to be kept as a ph/orders/12345678")]
    public void The_name_of_the_application_comes_first(string? application, string expected)
    {
        var name = SessionName.Of("orders", "12345678", application);

        Assert.Equal(expected, name);
        Assert.True(SessionName.TryRead(name, "orders", out var member, out var claim));
        Assert.Equal(("12345678", null), (member, claim));
    }

    [Theory]
    [InlineData("ä")]
    [InlineData("😀")]
    public void A_name_is_shortened_to_63_bytes_between_characters(string letter)
    {
        var name = SessionName.Of("orders", "12345678", string.Concat(Enumerable.Repeat(letter, 60)));

        Assert.InRange(Encoding.UTF8.GetByteCount(name), 60, 63);
        Assert.DoesNotContain('\uFFFD', Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(name)));
    }

    [Fact]
    public void The_name_of_a_members_own_session_says_what_it_wants_and_holds()
    {
        var name = SessionName.Of("orders", "12345678", wanted: 20, held: 7);

        Assert.Equal("ph/orders/12345678/w20h7", name);
        Assert.True(SessionName.TryRead($"/* {name} */ SELECT 1", "orders", out var member, out var claim));
        Assert.Equal(("12345678", (20, 7)), (member, claim));
        Assert.False(SessionName.TryRead(name, "order", out _, out _));
        Assert.False(SessionName.TryRead("psql", "orders", out _, out _));
    }
}
