using System.Text;
using Poolhouse.Tool.Bench.Ldap.InProcess;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

public sealed class Directories : IAsyncDisposable
{
    private readonly LdapTestServer _server = Country.Start();

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private LdapTestDirectory Directory => _server.Directory;

    [Theory]
    [InlineData("UID=Ann, OU=People, DC=Example, DC=org")]
    [InlineData("userid=ann,ou=people,dc=example,dc=org")]
    [InlineData("uid=\\61nn,ou=people,dc=example,dc=org")]
    [InlineData("  uid = ann , ou=people,dc=example,dc=org")]
    public void Equivalent_spellings_of_a_name_match(string dn) => Assert.Equal(Country.Ann, Directory.Find(dn)!.Dn);

    [Theory]
    [InlineData("uid=dora+cn=Dora Ernst,ou=people,dc=example,dc=org", "Ernst")]
    [InlineData("CN=dora  ernst+uid=DORA,ou=people,dc=example,dc=org", "Ernst")]
    [InlineData("cn=Fox\\2c Gil,ou=people,dc=example,dc=org", "Fox")]
    public void Names_of_several_values_and_with_escapes_are_found(string dn, string sn) =>
        Assert.Equal([sn], Directory.Find(dn)!.GetValues("sn"));

    [Theory]
    [InlineData("ann")]
    [InlineData("=ann")]
    [InlineData("uid=ann,,dc=org")]
    [InlineData("u d=ann")]
    [InlineData("uid=a\\")]
    [InlineData("uid=\"ann\"")]
    public void An_invalid_name_is_rejected(string dn) => Assert.Throws<ArgumentException>(() => Directory.Find(dn));

    [Fact]
    public void A_space_at_the_end_of_a_name_counts_only_when_it_is_escaped()
    {
        var entry = Directory.Add("cn=x\\ , " + Country.Base);

        Assert.Equal(["x "], entry.GetValues("cn"));
    }

    [Fact]
    public void An_added_entry_contains_the_values_of_its_name()
    {
        var entry = Directory.Add(
            "uid=hal,ou=people,dc=example,dc=org", ("objectClass", "account"), ("mail", "a"), ("MAIL", "b"));

        Assert.Equal(["objectClass", "mail", "uid"], entry.AttributeNames);
        Assert.Equal(["a", "b"], entry.GetValues("Mail"));
        Assert.Equal(["hal"], entry.GetValues("uid"));
        Assert.Equal(10, Directory.Count);
    }

    [Fact]
    public void An_entry_needs_a_parent_and_a_unique_name()
    {
        Assert.Throws<InvalidOperationException>(() => Directory.Add(Country.Ann));
        Assert.Throws<InvalidOperationException>(() => Directory.Add("uid=hal,ou=nothing,dc=example,dc=org"));
        Assert.Throws<InvalidOperationException>(() => Directory.SetPassword("uid=hal,dc=example,dc=org", "x"));
        Assert.Throws<InvalidOperationException>(() => Directory.Remove(Country.Base));
        Assert.Equal(9, Directory.Count);
    }

    [Fact]
    public void Deleting_an_entry_deletes_its_subtree()
    {
        Assert.True(Directory.Remove("ou=people,dc=example,dc=org"));
        Assert.False(Directory.Remove("ou=people,dc=example,dc=org"));

        Assert.Null(Directory.Find(Country.Ann));
        Assert.Equal(4, Directory.Count);
    }

    [Fact]
    public void Search_results_are_immutable()
    {
        var before = Directory.Find(Country.Ann)!;
        before.GetBytes("cn")[0][0] = (byte)'X';

        Directory.SetValues(Country.Ann, "title", "Captain");
        Directory.SetValues(Country.Ann, "mail");

        Assert.Equal(["Ann Bell"], before.GetValues("cn"));
        Assert.Empty(before.GetValues("title"));
        Assert.Equal(["Captain"], Directory.Find(Country.Ann)!.GetValues("title"));
        Assert.Empty(Directory.Find(Country.Ann)!.GetValues("mail"));
    }

    [Fact]
    public async Task A_new_password_applies_to_the_next_bind()
    {
        using var client = await RawClient.ConnectAndBindAsync(_server, Country.Ann, Country.AnnPassword);

        Directory.SetPassword(Country.Ann, "another");

        Assert.Equal(LdapTestResultCode.InvalidCredentials,
            (await client.AskAsync(RawRequest.Bind(2, Country.Ann, Country.AnnPassword))).Code);
        Assert.Equal(LdapTestResultCode.Success, (await client.AskAsync(RawRequest.Bind(3, Country.Ann, "another"))).Code);
    }

    [Fact]
    public void Ldif_supports_folding_comments_base64_and_versions()
    {
        var count = Directory.LoadLdif(
            "version: 1\n# a comment\n  that goes on\ndn: cn=x,\n dc=example,dc=org\r\nobjectClass: device\ndescription:: " +
            Convert.ToBase64String(Encoding.UTF8.GetBytes("ä")) + "\nl:\n\n\ndn:: " + Convert.ToBase64String(
                "cn=y,dc=example,dc=org"u8) + "\nobjectClass: device");

        Assert.Equal(2, count);
        var first = Directory.Find("cn=x," + Country.Base)!;
        Assert.Equal(["ä"], first.GetValues("description"));
        Assert.Equal([""], first.GetValues("l"));
        Assert.NotNull(Directory.Find("cn=y," + Country.Base));
    }

    [Theory]
    [InlineData("cn: x", "line 1")]
    [InlineData("dn: cn=x,dc=example,dc=org\nnothing", "line 2")]
    [InlineData("dn: cn=x,dc=example,dc=org\njpegPhoto:< file:///x", "line 2")]
    [InlineData("dn: cn=x,dc=example,dc=org\ncn:: ?", "line 2")]
    [InlineData("dn: nothing\ncn: x", "line 1")]
    [InlineData("\n\ndn: cn=x,dc=example,dc=org\nchangetype: delete", "line 4")]
    public void Invalid_ldif_is_rejected_with_its_line(string text, string line)
    {
        var refused = Assert.Throws<FormatException>(
            () => Directory.LoadLdif("dn: cn=first,dc=example,dc=org\nobjectClass: device\n\n" + text));

        Assert.Contains("line " + (int.Parse(line[5..], System.Globalization.CultureInfo.InvariantCulture) + 3),
            refused.Message, StringComparison.Ordinal);
        Assert.Null(Directory.Find("cn=first," + Country.Base));
    }
}
