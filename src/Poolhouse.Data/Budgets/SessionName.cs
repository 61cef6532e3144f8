using System.Globalization;
using System.Text;

namespace Poolhouse.Data.Budgets;

/// <summary>
/// The names of sessions that share a server: <c>app ph/budget/member</c> for pooled ones, <c>ph/budget/member/w8h5</c> for the
/// session with which a member states how many it wants and holds.
/// </summary>
internal static class SessionName
{
    // The longest that a server keeps whole.
    private const int MostBytes = 63;
    private const string Mark = "ph/";

    public static string Of(string budget, string member) => $"{Mark}{budget}/{member}";

    /// <summary>The name of a pooled session: the application's own name comes first, shortened if it is too long.</summary>
    public static string Of(string budget, string member, string? application)
    {
        var own = Of(budget, member);
        var text = (application ?? string.Empty).Trim();
        while (Encoding.UTF8.GetByteCount(text) > MostBytes - own.Length - 1)
        {
            text = text[..^(char.IsSurrogate(text[^1]) ? 2 : 1)];
        }

        return text.Length == 0 ? own : $"{text} {own}";
    }

    public static string Of(string budget, string member, int wanted, int held) =>
        string.Create(CultureInfo.InvariantCulture, $"{Of(budget, member)}/w{wanted}h{held}");

    /// <summary>Reads a name; returns false if it is not one of the budget.</summary>
    /// <param name="name">The name of a session, or a text that contains it.</param>
    /// <param name="budget">The name of the budget.</param>
    /// <param name="member">The name of the member.</param>
    /// <param name="claim">What the member wants and holds; null for a pooled session.</param>
    public static bool TryRead(string name, string budget, out string member, out (int Wanted, int Held)? claim)
    {
        (member, claim) = (string.Empty, null);
        var mark = $"{Mark}{budget}/";
        var start = name.LastIndexOf(mark, StringComparison.Ordinal);
        if (start < 0)
        {
            return false;
        }

        var parts = name[(start + mark.Length)..].Split('/', ' ');
        member = parts[0];
        if (parts.Length > 1 && parts[1].StartsWith('w')
            && parts[1][1..].Split('h') is [var wanted, var held]
            && int.TryParse(wanted, NumberStyles.None, CultureInfo.InvariantCulture, out var wants)
            && int.TryParse(held, NumberStyles.None, CultureInfo.InvariantCulture, out var holds))
        {
            claim = (wants, holds);
        }

        return member.Length > 0;
    }
}
