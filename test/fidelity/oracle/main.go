package main

import (
	"fmt"
	"net"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/openapi"
	scheme "k8s.io/client-go/kubernetes/scheme"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// An apiextensions-apiserver with an etcd of its own, for test/fidelity/run.ts: no authentication, nothing but CRDs.
//
//	oracle FOLDER PORT ETCD_PORT ETCD_PEER_PORT KUBECONFIG
//
// KUBECONFIG names a core API server; none has to listen there.
func main() {
	dir, port, clientPort, peerPort := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	cfg := embed.NewConfig()
	cfg.Dir = dir + "/etcd"
	cfg.LogLevel = "error"
	client, _ := url.Parse("http://127.0.0.1:" + clientPort)
	peer, _ := url.Parse("http://127.0.0.1:" + peerPort)
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	e, err := embed.StartEtcd(cfg)
	must(err)
	<-e.Server.ReadyNotify()

	s := options.NewCustomResourceDefinitionsServerOptions(os.Stdout, os.Stderr)
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(err)
	r := s.RecommendedOptions
	r.Etcd.StorageConfig.Transport.ServerList = []string{client.String()}
	r.SecureServing.Listener = l
	r.SecureServing.BindAddress = net.ParseIP("127.0.0.1")
	r.SecureServing.ExternalAddress = net.ParseIP("127.0.0.1")
	r.SecureServing.ServerCert.CertDirectory = dir + "/cert"
	r.Authentication = nil
	r.Authorization = nil
	r.CoreAPI.CoreAPIKubeconfigPath = os.Args[5]
	r.Admission = nil
	r.Features.EnablePriorityAndFairness = false
	must(s.Complete())
	c, err := s.Config()
	must(err)
	c.GenericConfig.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions), openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme))
	server, err := c.Complete().New(genericapiserver.NewEmptyDelegate())
	must(err)
	ctx := genericapiserver.SetupSignalContext()
	fmt.Println("listening")
	must(server.GenericAPIServer.PrepareRun().RunWithContext(ctx))
}
