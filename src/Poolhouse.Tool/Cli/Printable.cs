using System.Globalization;
using System.Text;

namespace Poolhouse.Tool.Cli;

/// <summary>Texts of the user's in a form that a terminal and an XML document can show.</summary>
internal static class Printable
{
    /// <summary>The text, with control characters and what else is not allowed in XML as \uXXXX; line breaks are kept.</summary>
    public static string Of(string text)
    {
        var shown = new StringBuilder(text.Length);
        for (var i = 0; i < text.Length; i++)
        {
            if (i + 1 < text.Length && char.IsSurrogatePair(text[i], text[i + 1]))
            {
                shown.Append(text, i++, 2);
            }
            else if ((char.IsControl(text[i]) && text[i] != '\n') || char.IsSurrogate(text[i]) || text[i] >= '\uFFFE')
            {
                shown.Append(CultureInfo.InvariantCulture, $"\\u{(int)text[i]:X4}");
            }
            else
            {
                shown.Append(text[i]);
            }
        }

        return shown.ToString();
    }
}
